#pragma once

#include <filesystem>

#include "app/report/report_page.h"

namespace dropmd {

/// Whether a folder is that of an ensemble.
bool has_ensemble(const std::filesystem::path& folder);

/// Makes the page of the folder of an ensemble, which may be in progress: ends, means over runs with the same values
/// and their spread, and series of its first runs. Throws InputError for another folder.
ReportPage ensemble_page(const std::filesystem::path& folder);

}  // namespace dropmd

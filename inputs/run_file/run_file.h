#pragma once

#include <filesystem>
#include <span>

#include "core/forms/form.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/settings/setting.h"
#include "inputs/text_source.h"

namespace dropmd {

/// Reads a run file (TOML; docs/file-formats.md has its sections and keys) and fills in every default that does not
/// depend on the structure. Throws one InputError with a line for each mistake, in the order of their places. The
/// structure file is not read. settings: keys set on the command line, which replace those of the file.
RunConfig read_run_file(const std::filesystem::path& path, const FormCatalog& catalog,
                        std::span<const Setting> settings = {});

/// The same for a text in memory; path: its source, for messages and relative paths.
RunConfig parse_run_file(const TextSource& source, const std::filesystem::path& path, const FormCatalog& catalog,
                         std::span<const Setting> settings = {});

}  // namespace dropmd

#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/run/ensemble_table.h"

namespace dropmd {

/// Returns the means of the columns of a run's energy.csv, by their names, and of its droplet.csv, as droplet_NAME,
/// over the rows from a step on; values that a row does not have (nan) are left out. Files that the run does not have
/// give none. Units are those of the files. Throws InputError for a file that no run wrote.
std::vector<NamedMean> replica_means(const std::filesystem::path& folder, std::int64_t from);

}  // namespace dropmd

#pragma once

#include <filesystem>

#include "core/run/ensemble_table.h"
#include "core/units.h"

namespace dropmd {

/// Writes ensemble.csv, atomically and with 17 significant digits: a comment line with version, units and the first
/// step of the means, the names, a row for each run. Columns: `replica`, the varied keys, `seed`, `end` (the word of
/// the state), `steps`, `time`, for each quantity its mean and NAME_error, `status`, `message`. What is not known is
/// empty. Throws OutputError.
void write_ensemble_csv(const std::filesystem::path& path, const EnsembleTable& table, const Units& units);

}  // namespace dropmd

#pragma once

#include <filesystem>
#include <string>

#include "core/run/ensemble_table.h"

namespace dropmd {

/// ensemble.csv as it was read.
struct ReadEnsemble {
  EnsembleTable table;
  std::string header;  ///< the comment line: version, units, first step of the means
};

/// Reads ensemble.csv (outputs/ensemble_csv.h). Throws InputError, with the line, for a file that is missing or not as
/// it was written.
ReadEnsemble read_ensemble_file(const std::filesystem::path& path);

}  // namespace dropmd

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/units.h"
#include "inputs/structures/structure.h"

namespace dropmd {

/// A run file that explains itself.
struct CommentedRun {
  std::string toml;
  std::vector<std::string> to_fill_in;  ///< "mass of X": the numbers without which it does not run
};

/// A run file for a structure: what it says is left to it; species whose names are chemical symbols get UFF's van der
/// Waals terms (inputs/run_file/uff_parameters.h), in units lj all species get ε = σ = 1, and the atoms "X" of droplet
/// files those of the program of 2009; every other key stands in a comment with its default. structure_path: as the run
/// file is to write it.
CommentedRun commented_run(const Structure& structure, UnitSystem units, const std::filesystem::path& structure_path);

}  // namespace dropmd

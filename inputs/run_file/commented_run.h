#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/run/topology_settings.h"
#include "core/units.h"
#include "inputs/structures/structure.h"

namespace dropmd {

/// A run file with explanations.
struct CommentedRun {
  /// Text of the run file.
  std::string toml;
  /// Numbers that the user has to fill in before it runs, such as "mass of X".
  std::vector<std::string> to_fill_in;
};

/// What the run file of a structure with a topology says about its molecules.
struct CommentedMolecules {
  /// Paths of the topology and of the #include folders, as the run file is to give them, and the preprocessor's words.
  TopologySettings topology;
  /// Whether bonds to hydrogen are flexible in the topology; the run file then constrains them.
  bool flexible_hydrogens = false;
};

/// Returns a run file for a structure, which supplies what it contains. Species whose names are chemical symbols get
/// the van der Waals terms of UFF (inputs/run_file/uff_parameters.h); in units lj all species get ε = σ = 1, and the
/// atoms "X" of droplet files those of the program of 2009. With molecules, whose topology has all parameters, the run
/// uses langevin at 300 K with a timestep of 2 fs. Every other key is a comment with its default. structure_path: the
/// path to write into the run file.
CommentedRun commented_run(const Structure& structure, UnitSystem units, const std::filesystem::path& structure_path,
                           const std::optional<CommentedMolecules>& molecules = {});

}  // namespace dropmd

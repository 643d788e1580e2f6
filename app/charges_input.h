#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "app/command.h"
#include "engine/model/system.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"

namespace dropmd {

/// The input of commands that need charges but no forces: a run file with its structure, or a bare structure.
struct ChargesInput {
  RunConfig config;
  Structure structure;
  std::shared_ptr<const MolecularModel> molecules;  ///< null: the run has no topology
  bool units_are_known = true;                      ///< false: a bare droplet file, which has no units and counts as lj
  bool masses_are_known = true;

  /// Whether there is a structure alone.
  bool is_bare() const { return config.file == config.structure; }
  System system() const { return build_system(config, structure, molecules); }
};

/// Adds --units, for bare structures without units.
void add_units_option(OptionTable& options);

/// Returns the units of a bare structure: its own, else those of --units; nullopt without either. Throws InputError if
/// the two differ.
std::optional<UnitSystem> units_of_structure(const GivenOptions& options, const Structure& structure);

/// Reads FILE according to its extension. Throws InputError for a bare structure of unknown units; a droplet file
/// counts as lj, as in the program of 2009.
ChargesInput read_charges_input(const GivenOptions& options, std::string_view command);

}  // namespace dropmd

#pragma once

#include <filesystem>
#include <string_view>

#include "app/command.h"
#include "engine/model/system.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// The input of commands that need charges and no forces: a run file with its structure, or a bare structure.
struct ChargesInput {
  RunConfig config;
  Structure structure;
  bool units_are_known = true;  ///< false: a bare droplet file, which has no units, counts as lj
  bool masses_are_known = true;

  System system() const { return build_system(config, structure); }
};

/// --units, of a bare structure that does not say them.
void add_units_option(OptionTable& options);

/// The units of a bare structure: its own, else those of --units; none where neither says them. Throws InputError where
/// the two contradict each other.
std::optional<UnitSystem> units_of_structure(const GivenOptions& options, const Structure& structure);

/// Reads FILE, by its extension. Throws InputError for a bare structure whose units nobody says; a droplet file counts
/// as lj, as in the program of 2009.
ChargesInput read_charges_input(const GivenOptions& options, std::string_view command);

}  // namespace dropmd

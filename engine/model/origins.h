#pragma once

#include <string>
#include <vector>

#include "engine/model/system.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"

namespace dropmd {

/// Returns a warning for each kind of value for which structure and run file give different values, saying that the
/// structure's are used.
std::vector<std::string> overridden_values(const RunConfig& config, const Structure& structure);

/// Returns the masses, charges, velocities and wall of the system, and where each comes from, as comment lines of a run
/// file.
std::string values_in_effect(const RunConfig& config, const Structure& structure, const System& system);

}  // namespace dropmd

#pragma once

#include <string>
#include <vector>

#include "engine/model/system.h"

namespace dropmd {

/// Values that structure and run file both give and that differ: a warning for each kind, which says that the
/// structure's count.
std::vector<std::string> overridden_values(const RunConfig& config, const Structure& structure);

/// The masses, charges, velocities and wall of the system, and where each comes from, as comment lines of a run file.
std::string values_in_effect(const RunConfig& config, const Structure& structure, const System& system);

}  // namespace dropmd

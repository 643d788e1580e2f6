#pragma once

#include <string>
#include <vector>

#include "engine/model/system.h"

namespace dropmd {

/// Returns the warnings for a run: those of motion_warnings() (engine/model/invariance.h) and mesh_hint(), each with
/// the file of the run, and one about several processes for a droplet that suits one GPU. The run of a droplet file
/// alone gets none of the first kind: it recentres beside its wall as the program of 2009 did.
std::vector<std::string> run_warnings(const RunConfig& config, const System& system);

}  // namespace dropmd

#pragma once

#include <string>
#include <vector>

#include "engine/model/system.h"

namespace dropmd {

/// Returns what motion_warnings() (engine/model/invariance.h) says of a run, with the file that asks for it, and of
/// several GPUs for a droplet that suits one. There are none of the former for the run of a droplet file alone, which
/// recentres beside its wall as the program of 2009 did.
std::vector<std::string> run_warnings(const RunConfig& config, const System& system);

}  // namespace dropmd

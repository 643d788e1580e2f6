#pragma once

#include "engine/methods/method.h"
#include "engine/model/system.h"

namespace dropmd {

/// Whether several GPUs are faster for a droplet than one of them, by the droplets that were measured on two
/// (docs/scaling.md); true where none like it were.
bool are_useful_gpus(const Method& method, const System& system);

}  // namespace dropmd

#pragma once

#include <cstddef>

#include "core/run/run_settings.h"
#include "engine/model/system.h"

namespace dropmd {

/// 3N less the removed momenta: linear where it is removed during the run or was when velocities were drawn, angular
/// where it is removed during the run. An integrator that does not keep the momentum, such as Langevin's with its noise
/// on every atom, brings back within its memory what was removed at the start.
std::size_t degrees_of_freedom(const System& system, const RunSettings& config);

}  // namespace dropmd

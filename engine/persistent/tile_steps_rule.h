#pragma once

#include "core/run/run_settings.h"
#include "engine/methods/method.h"
#include "engine/model/system.h"

namespace dropmd {

/// Returns whether TileSteps (tile_steps.cuh) suit a run on a share of a GPU: in mixed precision, with all pairs of
/// atoms without constraints and exclusions, velocity Verlet or Langevin dynamics, and untruncated Coulomb forces or
/// none.
bool tile_steps_suit(const System& system, const RunSettings& config, const Method& method);

}  // namespace dropmd

#pragma once

#include "engine/force_field.h"
#include "engine/system.h"
#include "inputs/run_config.h"

namespace dropmd {

/// The method with a skin for the list or the cells that a run keeps, unless the configuration says which: the wider
/// the faster atoms move, so that its price, pairs beyond the cutoff, is about that of building. Where skins are tuned
/// it is the first guess.
Method with_fitting_skin(Method method, const System& system, const RunConfig& config);

}  // namespace dropmd

#pragma once

#include "engine/force_field.h"
#include "engine/system.h"
#include "inputs/run_config.h"

namespace dropmd {

/// A skin for the pair list of a run, length: the more the faster atoms move, so that its price, pairs beyond the
/// cutoff, is about that of building the list.
double fitting_skin(const System& system, const RunConfig& config);

}  // namespace dropmd

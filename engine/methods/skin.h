#pragma once

#include "core/run/run_settings.h"
#include "engine/methods/method.h"
#include "engine/model/system.h"

namespace dropmd {

/// The method with the skin that the cost model finds the cheapest at the start, for the list or the cells that a run
/// keeps, unless the configuration says which.
Method with_fitting_skin(Method method, const System& system, const RunSettings& config);

}  // namespace dropmd

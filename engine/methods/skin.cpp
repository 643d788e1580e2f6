#include "engine/methods/skin.h"

#include "engine/methods/step_cost.h"

namespace dropmd {

Method with_fitting_skin(Method method, const System& system, const RunSettings& config) {
  if (config.skin || !has_skin(method)) return method;
  return StepCost(system, config, method).with_cheapest_skin(method, workload_at_start(system, config, method.cpu));
}

}  // namespace dropmd

#include "engine/degrees_of_freedom.h"

#include <algorithm>

#include "engine/actions/action_list.h"
#include "engine/centre.h"
#include "engine/molecules/motion_plans.h"
#include "integrators/integrator.h"

namespace dropmd {

std::size_t degrees_before_removal(const System& system) {
  const std::size_t all = 3 * count_with_mass(system.particles.mass);
  return all - std::min(all, constraints_of(system).n_constraints);
}

std::size_t degrees_of_freedom(const System& system, const RunSettings& config) {
  const ActionList actions = actions_of(config, system);
  const auto* removal = actions.find<MomentumRemoval>();
  RemoveMomentum removed = removal != nullptr ? removal->which : RemoveMomentum::none;
  if (system.momentum_removed_at_start && keeps_momentum(config.integrator)) {
    if (removed == RemoveMomentum::none) removed = RemoveMomentum::linear;
    if (removed == RemoveMomentum::angular) removed = RemoveMomentum::both;
  }
  const std::size_t all = degrees_before_removal(system);
  return all - std::min(all, removed_degrees(system.particles, removed));
}

}  // namespace dropmd

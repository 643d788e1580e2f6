#include "engine/degrees_of_freedom.h"

#include <algorithm>
#include <vector>

#include "engine/actions/action_list.h"
#include "engine/centre.h"
#include "engine/molecules/motion_plans.h"
#include "integrators/integrator.h"

namespace dropmd {

std::size_t degrees_before_removal(const System& system) {
  const std::size_t all = 3 * count_with_mass(system.particles.mass);
  return all - std::min(all, count_constraints(system));
}

std::size_t degrees_of_freedom(const System& system, const RunSettings& config) {
  const ActionList actions = actions_of(config, system);
  const auto* removal = actions.find<MomentumRemoval>();
  RemoveMomentum removed = removal != nullptr ? removal->which : RemoveMomentum::none;
  if (system.momentum_removed_at_start && keeps_momentum(config.integrator) && !config.bath_acts_on_part()) {
    if (removed == RemoveMomentum::none) removed = RemoveMomentum::linear;
    if (removed == RemoveMomentum::angular) removed = RemoveMomentum::both;
  }
  const std::size_t all = degrees_before_removal(system);
  return all - std::min(all, removed_degrees(count_with_mass(system.particles.mass), removed));
}

std::size_t bath_degrees(const System& system, const IntegrationSettings& settings, std::size_t n_dof) {
  if (!settings.bath_acts_on_part()) return n_dof;
  const Particles& p = system.particles;
  std::vector<char> in_bath(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) in_bath[i] = p.is_in(i, field::kInBath) && p.mass[i] > 0 ? 1 : 0;
  const auto n_in_bath = static_cast<std::size_t>(std::count(in_bath.begin(), in_bath.end(), 1));
  if (n_in_bath == count_with_mass(p.mass)) return n_dof;
  std::size_t degrees = 3 * n_in_bath;
  degrees -= std::min(degrees, count_constraints(system, in_bath));
  const bool of_droplet = settings.applies_to == kDropletAtoms && settings.recenter == Recenter::droplet;
  if (!of_droplet || settings.recenter_every == 0) return degrees;
  return degrees - std::min(degrees, removed_degrees(n_in_bath, settings.remove_momentum));
}

}  // namespace dropmd

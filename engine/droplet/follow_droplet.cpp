#include "engine/droplet/follow_droplet.h"

#include <algorithm>
#include <utility>

#include "engine/droplet/molecule_table.h"
#include "engine/molecules/motion_plans.h"

namespace dropmd {

namespace {

/// Whether a single molecule is left, whose atoms cannot move relative to each other.
bool is_lone_rigid_molecule(const System& system) {
  constexpr std::size_t kMostAtoms = 8, kDegreesOfRigid = 6;
  const Particles& p = system.particles;
  if (p.size() == 1) return true;
  if (p.size() > kMostAtoms || molecules_of(system).size() > 1) return false;
  const auto n_with_mass =
      static_cast<std::size_t>(std::count_if(p.mass.begin(), p.mass.end(), [](double mass) { return mass > 0; }));
  return 3 * n_with_mass <= kDegreesOfRigid + constrained_pairs(system).size();
}

}  // namespace

void follow_droplet(std::unique_ptr<DropletObserver> observer, const IntegrationSettings& settings, StepLoop& loop,
                    OnceDry once_dry) {
  PopulationRule rule{.every = observer->every()};
  if (settings.droplet->removes() && once_dry == OnceDry::ends) rule.has_dried_up = is_lone_rigid_molecule;
  if (settings.droplet->removes())
    rule.change = [seen = observer.get()](std::int64_t step, double time, const System& now) {
      return seen->removal(step, time, now.particles);
    };
  if (settings.follows_droplet())
    rule.regroup = [seen = observer.get()](Particles& particles) { return seen->regroup(particles); };
  if (rule.change || rule.regroup) loop.set_population_rule(std::move(rule));
  loop.add_observer(std::move(observer));
}

}  // namespace dropmd

#include "engine/droplet/follow_droplet.h"

#include <utility>

namespace dropmd {

void follow_droplet(std::unique_ptr<DropletObserver> observer, const IntegrationSettings& settings, StepLoop& loop,
                    OnceDry once_dry) {
  PopulationRule rule{.every = observer->every()};
  if (settings.droplet->removes() && once_dry == OnceDry::ends)
    rule.has_dried_up = [seen = observer.get()] { return seen->has_dried_up(); };
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

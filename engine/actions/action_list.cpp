#include "engine/actions/action_list.h"

#include "engine/centre.h"

namespace dropmd {

void Recentring::on_host(Cpu cpu, Particles& particles) const { recenter(cpu, particles, which); }

void MomentumRemoval::on_host(Cpu cpu, Particles& particles) const {
  remove_momentum(cpu, particles, which, of_droplet);
}

ActionList actions_of(const IntegrationSettings& settings, const System& system, const ReorderInterval* sorting) {
  std::vector<Action> actions;
  const std::int64_t every = settings.recenter_every;
  if (every > 0) actions.emplace_back(Recentring{{every}, recentring(settings, system)});
  if (sorting != nullptr) {
    actions.emplace_back(Sorting{sorting});
    actions.emplace_back(ForceScaling{sorting});
  }
  if (every > 0 && settings.remove_momentum != RemoveMomentum::none)
    actions.emplace_back(MomentumRemoval{{every}, settings.remove_momentum, settings.recenter == Recenter::droplet});
  return ActionList(std::move(actions));
}

}  // namespace dropmd

#include "engine/executors/host_stages.h"

#include "engine/centre.h"
#include "engine/thermometer.h"

namespace dropmd {

HostStages::HostStages(System& of, const RunSettings& settings, Cpu on, std::size_t n_dof, Timings& times)
    : system(of),
      config(settings),
      timings(times),
      cpu(on),
      integrator(make_integrator(settings.integrator, of.units, {.seed = settings.random_seed, .n_dof = n_dof})),
      guard(of),
      force(of.particles.size()) {}

void HostStages::resume(const RunState& state) {
  step = state.step;
  guard.check_finite(step, time(), {}, {});
  integrator->learn(state.learnt);
}

void HostStages::move() {
  const Timings::Scope scope(timings, "integrators");
  guard.before_move();
  ++step;
  integrator->move(cpu, system.particles, force, static_cast<std::uint64_t>(step));
  guard.check_move(step, time(), force);
}

void HostStages::recenter() {
  if (!is_recentering_step()) return;
  const Timings::Scope scope(timings, "recentring");
  dropmd::recenter(cpu, system.particles, recentring(config, system));
}

void HostStages::finish() {
  const Timings::Scope scope(timings, "integrators");
  if (step > 0) integrator->finish(cpu, system.particles, force, static_cast<std::uint64_t>(step));
}

void HostStages::remove_momentum() {
  if (!is_recentering_step()) return;
  const Timings::Scope scope(timings, "recentring");
  dropmd::remove_momentum(cpu, system.particles, config.remove_momentum);
}

ForceField::Result HostStages::with_kinetic(ForceField::Result result) const {
  result.energies.kinetic = kinetic_energy(cpu, system.particles.mass, system.particles.velocity, system.units);
  return result;
}

void HostStages::check(const Energies& energies) const {
  const Timings::Scope scope(timings, "checks");
  guard.check_finite(step, time(), force, energies);
}

}  // namespace dropmd

#include "engine/executors/host_stages.h"

#include <utility>

#include "engine/degrees_of_freedom.h"
#include "engine/thermometer.h"

namespace dropmd {

HostStages::HostStages(System& of, const RunSettings& settings, Cpu on, std::size_t n_dof, Timings& times)
    : system(of),
      config(settings),
      timings(times),
      cpu(on),
      actions(actions_of(settings, of)),
      integrator(make_integrator(settings.integrator, of.units,
                                 {.seed = settings.random_seed, .n_dof = bath_degrees(of, settings, n_dof)})),
      molecules(on, of, integrator->is_minimizer()),
      ledger(on, settings, of),
      guard(of, on),
      force(of.particles.size()) {}

void HostStages::resume(const RunState& state) {
  step = state.step;
  guard.check_finite(step, time(), {}, {});
  integrator->load_internal_state(state.integrator_state);
  ledger.set(state.booked);
}

void HostStages::move() {
  const Timings::Scope scope(timings, "integrators");
  guard.before_move();
  const double before = time();
  const std::span<const Vec3<double>> kick = impulse();
  ++step;
  has_moved_ = true;
  ledger.book_move(system.particles, before, time(), [&] {
    const auto number = static_cast<std::uint64_t>(step);
    if (molecules.has_constraints())
      molecules.move(*integrator, kick, number, system.particles, ledger.heat());
    else
      integrator->move(cpu, system.particles, kick, number, ledger.heat());
  });
  guard.check_move(step, time(), force);
}

void HostStages::act(StepStage stage) {
  actions.for_each_due(stage, step, [&]<class One>(const One& action) {
    if constexpr (One::kProcessors == ActionProcessors::all) {
      const Timings::Scope scope(timings, One::kTimings);
      ledger.book(action, system.particles, time(), [&] { action.on_host(cpu, system.particles); });
    }
  });
  if (step == 0) ledger.clear();  // it begins with the complete step 0
}

void HostStages::finish() {
  const Timings::Scope scope(timings, "integrators");
  if (step == 0) return;
  const auto number = static_cast<std::uint64_t>(step);
  integrator->finish(cpu, system.particles, impulse(), number);
  molecules.constrain_velocities(step, system.particles);
  integrator->couple(cpu, system.particles, impulse(), number, ledger.heat());
}

/// Forces may be computed again at positions whose sites are in place: only the first placement of a step is a motion.
void HostStages::place_sites() {
  const auto place = [&] { molecules.place_sites(system.particles.position); };
  if (!std::exchange(has_moved_, false)) return place();
  ledger.book_sites(system.particles, time() - integrator->timestep(), time(), place);
}

void HostStages::spread_forces() {
  molecules.spread(system.particles.position, force);
  if (projects()) {
    impulse_ = force;
    molecules.project(step, system.particles, impulse_);
  }
  if (slow_.empty() || !system.outer.divide(step)) return;
  molecules.spread(system.particles.position, slow_);
  impulse_.resize(slow_.size());
  const auto more = static_cast<double>(system.outer.every - 1);
  for_each_index(cpu, slow_.size(), [&](std::size_t i) { impulse_[i] = force[i] + more * slow_[i]; });
}

void HostStages::set_slow_force(std::span<const Vec3<double>> slow) { slow_.assign(slow.begin(), slow.end()); }

bool HostStages::projects() const { return integrator->is_minimizer() && molecules.has_constraints(); }

std::span<const Vec3<double>> HostStages::impulse() const {
  return !impulse_.empty() && (projects() || system.outer.divide(step)) ? impulse_ : force;
}

ForceField::Result HostStages::with_kinetic(ForceField::Result result) const {
  result.energies.kinetic = kinetic_energy(cpu, system.particles.mass, system.particles.velocity, system.units);
  result.ledger = ledger.totals();
  return result;
}

void HostStages::check(const Energies& energies) const {
  const Timings::Scope scope(timings, "checks");
  guard.check_finite(step, time(), force, energies);
}

}  // namespace dropmd

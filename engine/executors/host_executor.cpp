#include "engine/executors/host_executor.h"

#include <algorithm>
#include <stdexcept>

#include "engine/methods/catalogue.h"
#include "engine/step/one_step.h"

namespace dropmd {

Method on_host(Method method) {
  if (method.backend == Backend::cpu) return method;
  method.backend = Backend::cpu;
  method.precision = Precision::fp64;
  if (needs_cutoff(method.neighbor)) method.neighbor = kCheapestOnce;
  return method;
}

HostExecutor::Stages::Stages(System& of, const RunSettings& settings, const Method& method, std::size_t n_dof,
                             Timings& times)
    : HostStages(of, settings, method.cpu, n_dof, times), force_field(of, on_host(method)) {}

void HostExecutor::Stages::add_terms() {
  const Timings::Scope scope(timings, "forces");
  if (!system.outer.divide(step)) return force_field.evaluate_fast(now(), force);
  result = force_field.evaluate(now(), want, force);
  set_slow_force(force_field.slow_force());
}

/// Takes the forces of a state and computes their slow part again, which is a function of the positions and of the
/// terms' states.
void HostExecutor::Stages::take_forces(const std::vector<Vec3<double>>& of_state) {
  force = of_state;
  set_slow_force(force_field.evaluate_slow(now()));
  spread_forces();
}

HostExecutor::HostExecutor(System& system, const RunSettings& config, const Method& method, std::size_t n_dof,
                           Timings& timings)
    : stages_(system, config, method, n_dof, timings) {}

Executor::Progress HostExecutor::complete(void (*make)(Stages&), bool energies) {
  stages_.want = energies ? Want::forces_and_energies : Want::forces;
  make(stages_);
  Progress progress;
  if (energies) progress.energies = stages_.with_kinetic(stages_.result);
  stages_.check(energies ? progress.energies->energies : Energies{});
  return progress;
}

Executor::Progress HostExecutor::begin(bool energies) { return complete(complete_step<Stages>, energies); }

void HostExecutor::resume(const RunState& state, bool alike) {
  stages_.resume(state);
  const std::size_t n = stages_.system.particles.size();
  stages_.force_field.set_term_states(state.term_states);
  if (alike && state.force.size() == n) {
    if (state.list_positions.size() == n) stages_.force_field.build_list(state.list_positions);
    stages_.take_forces(state.force);
  } else {
    stages_.want = Want::forces;
    compute_forces(stages_);
  }
  stages_.guard.check_finite(step(), stages_.time(), stages_.force, {});
}

bool HostExecutor::start(std::int64_t last, const StepWants& wants) {
  last_ = last;
  energies_wanted_ = wants.energies;
  return false;
}

Executor::Progress HostExecutor::finish() {
  Progress progress;
  while (step() < last_) progress = complete(make_step<Stages>, energies_wanted_ && step() + 1 == last_);
  return progress;
}

Executor::Progress HostExecutor::make_broken_step(bool) {
  throw std::logic_error("a step that breaks on the host has no other executor");
}

Executor::Result HostExecutor::energies() {
  stages_.want = Want::forces_and_energies;
  compute_forces(stages_);
  return stages_.with_kinetic(stages_.result);
}

void HostExecutor::groups_changed(std::size_t n_dof) { stages_.integrator->set_bath_degrees(n_dof); }

std::vector<std::uint32_t> HostExecutor::cluster_labels(const ClusterLinks& links) {
  return dropmd::cluster_labels(stages_.system.particles.position, links);
}

double HostExecutor::largest_force() {
  double largest = 0;
  for (const Vec3<double>& f : stages_.impulse()) largest = std::max(largest, norm(f));
  return largest;
}

void HostExecutor::add_carried_to(RunState& state) {
  state.integrator_state = stages_.integrator->internal_state();
  state.booked = stages_.ledger.bookings();
  state.term_states = stages_.force_field.term_states();
}

void HostExecutor::add_to(RunState& state) {
  add_carried_to(state);
  state.force = stages_.force;
  const auto list = stages_.force_field.list_positions();
  state.list_positions.assign(list.begin(), list.end());
}

void HostExecutor::use(const Method& method) {
  ForceField next(stages_.system, on_host(method));
  next.set_term_states(stages_.force_field.term_states());
  stages_.force_field = std::move(next);
}

}  // namespace dropmd

#include "engine/executors/device_executor.h"

#include <limits>
#include <utility>

#include "engine/executors/host_executor.h"
#include "engine/step/one_step.h"

namespace dropmd {

DeviceExecutor::DeviceExecutor(std::unique_ptr<DeviceRun> run, System& system, const RunSettings& config,
                               const Method& method, std::size_t n_dof, Timings& timings)
    : n_dof_(n_dof), stages_(std::move(run), system, config, method, n_dof, timings) {}

DeviceExecutor::Stages::Stages(std::unique_ptr<DeviceRun> device, System& of, const RunSettings& settings,
                               const Method& method, std::size_t n_dof, Timings& times)
    : HostStages(of, settings, method.cpu, n_dof, times), run(std::move(device)), on_host_(on_host(method)) {}

ForceField& DeviceExecutor::Stages::force_field() {
  if (!force_field_) force_field_.emplace(system, on_host_);
  return *force_field_;
}

std::int64_t DeviceExecutor::most_steps() const { return std::numeric_limits<std::int64_t>::max(); }

void DeviceExecutor::Stages::add_terms() {
  const Timings::Scope scope(timings, "forces");
  take_forces();
}

/// Computes the forces on the present atoms in the memory of the run, which then continues from them; the host computes
/// them if one is beyond the range of the device.
void DeviceExecutor::Stages::take_forces() {
  const bool held = run->upload(system.particles, step);
  run->download(system.particles, force);
  const bool is_outer = system.outer.divide(step);
  if (!held) {
    force_field().forget();  // so that the forces depend on the positions alone
    if (is_outer)
      force_field().evaluate(now(), Want::forces, force);
    else
      force_field().evaluate_fast(now(), force);
  }
  if (is_outer && system.outer.has_inner()) {
    if (held)
      set_slow_force(run->slow_force());
    else
      set_slow_force(force_field().slow_force());
  }
}

/// The device continues from the step that the host performed, with its velocities; its energies are bitwise those of
/// the device's next steps.
Executor::Progress DeviceExecutor::give_back(bool energies) {
  Progress progress;
  {
    const Timings::Scope scope(stages_.timings, "copies to the GPU");
    run().upload(stages_.system.particles, step());
    run().set_bookings(stages_.ledger.bookings());
    if (energies) progress.energies = run().energies();
  }
  stages_.check(energies ? progress.energies->energies : Energies{});
  fetched_ = step();
  return progress;
}

Executor::Progress DeviceExecutor::begin(bool energies) {
  complete_step(stages_);
  return give_back(energies);
}

void DeviceExecutor::resume(const RunState& state, bool alike) {
  stages_.resume(state);
  const Timings::Scope scope(stages_.timings, "copies to the GPU");
  const Particles& particles = stages_.system.particles;
  if (!alike || !run().resume_from(particles, state)) {
    run().begin_with(state.term_states);
    run().upload(particles, step());
    run().load_internal_state(state.integrator_state);
  }
  run().set_bookings(stages_.ledger.bookings());
}

bool DeviceExecutor::start(std::int64_t last, const StepWants& wants) {
  const Timings::Scope scope(stages_.timings, "steps on the GPU");
  return run().start(last, wants);
}

Executor::Progress DeviceExecutor::finish() {
  const Timings::Scope scope(stages_.timings, "steps on the GPU");
  DeviceRun::Progress progress = run().finish();
  stages_.step = progress.step;
  fetched_ = -1;
  return {progress.broken, progress.seconds, progress.energies};
}

Executor::Progress DeviceExecutor::make_broken_step(bool energies) {
  fetch();
  stages_.take_forces();  // the forces of the previous step may lack the one that broke it
  stages_.spread_forces();
  stages_.ledger.set(run().bookings());
  stages_.integrator->load_internal_state(run().internal_state());
  make_step(stages_);
  run().load_internal_state(stages_.integrator->internal_state());
  return give_back(energies);
}

void DeviceExecutor::fetch() {
  if (fetched_ == step()) return;
  const Timings::Scope scope(stages_.timings, "copies from the GPU");
  run().download(stages_.system.particles, stages_.force);
  fetched_ = step();
  stages_.guard.check_finite(step(), time(), stages_.force, {});
}

void DeviceExecutor::check(const Energies& energies) { stages_.guard.check_finite(step(), time(), {}, energies); }

void DeviceExecutor::groups_changed(std::size_t n_dof) {
  stages_.integrator->set_bath_degrees(n_dof);
  run().set_groups(stages_.system.particles, n_dof);
}

std::vector<std::uint32_t> DeviceExecutor::cluster_labels(const ClusterLinks& links) {
  return run().cluster_labels(links);
}

std::optional<DeviceArrays> DeviceExecutor::device_arrays() const {
  DeviceArrays arrays = run().arrays();
  arrays.owner = stages_.run;
  return arrays;
}

void DeviceExecutor::add_carried_to(RunState& state) {
  state.integrator_state = run().internal_state();
  state.booked = run().bookings();
  state.term_states = run().term_states();
}

void DeviceExecutor::add_to(RunState& state) {
  add_carried_to(state);
  run().add_to(state);
}

void DeviceExecutor::use(const Method& method) {
  // Otherwise the last method was refused, and the state that the one before it left is still here.
  if (stages_.run) {
    fetch();
    integrator_state_ = run().internal_state();
    reordering_ = run().reordering();
    stages_.ledger.set(run().bookings());
    stages_.run.reset();  // frees its memory first
  }
  std::unique_ptr<DeviceRun> next = make_device_run(stages_.system, stages_.config, method, n_dof_);
  next->set_reordering(reordering_);
  next->upload(stages_.system.particles, step());
  next->load_internal_state(integrator_state_);
  next->set_bookings(stages_.ledger.bookings());
  stages_.run = std::move(next);
}

}  // namespace dropmd

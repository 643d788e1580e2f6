#include "engine/step_loop.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "engine/degrees_of_freedom.h"
#include "engine/methods/catalogue.h"
#include "engine/methods/step_cost.h"
#include "engine/methods/workload.h"
#include "engine/molecules/constrained_start.h"
#include "engine/outer_step_rules.h"
#include "engine/physics_guard.h"
#include "engine/thermometer.h"

namespace dropmd {

namespace {

/// Returns whether the run continues bitwise identically.
bool resumes_alike(const Method& method, const RunState& from) {
  return from.backend == method.backend && from.precision == method.precision &&
         from.choice == choice_of(method, from.choice.step);
}

/// Returns whether the configuration leaves open how pairs are found, or agrees with the choice.
bool allows(const RunSettings& config, const Method& method, const MethodChoice& choice) {
  if (config.neighbor != NeighborMethod::automatic && config.neighbor != choice.neighbor) return false;
  return !config.skin || !has_skin(with_choice(method, choice)) || method.skin == choice.skin;
}

Method first_method(const Method& method, const System& system, const RunSettings& config, const MethodSource* source,
                    const RunState* from) {
  if (from != nullptr) {
    Method as_before = with_choice(method, from->choice);
    if (resumes_alike(as_before, *from) && allows(config, method, from->choice)) return as_before;
  }
  return source != nullptr ? with_choice(method, source->first()) : with_fitting_skin(method, system, config);
}

MethodSwitching methods_of(const Method& method, const System& system, const RunSettings& config, Timings& timings,
                           std::unique_ptr<MethodSource> source, const RunState* from) {
  const Method first = first_method(method, system, config, source.get(), from);
  return {std::move(source), first, timings};
}

}  // namespace

StepLoop::StepLoop(System& system, const RunSettings& config, const Method& method, Timings& timings,
                   std::unique_ptr<MethodSource> source, const RunState* from)
    : system_(system),
      config_(config),
      timings_(timings),
      methods_(methods_of(method, system, config, timings, std::move(source), from)),
      n_dof_(from != nullptr ? from->n_dof : degrees_of_freedom(system, config)),
      executor_(make_executor(system, config, methods_.method(), n_dof_, timings)),
      last_step_(config.steps) {
  require_outer_steps(system, config);
  if (from != nullptr) {
    from_ = std::make_unique<const RunState>(*from);
    return;
  }
  if (executor_->integrator().is_minimizer())
    std::fill(system.particles.velocity.begin(), system.particles.velocity.end(), Vec3<double>{});
  satisfy_constraints(system, system.particles.position, system.particles.velocity);
  PhysicsGuard(system).check_start();
}

void StepLoop::add_observer(std::unique_ptr<Observer> observer) {
  const std::int64_t every = observer->every();
  if (every > 1 && every < std::numeric_limits<std::int64_t>::max())
    require_outer_step(system_.outer, every, "the first that an observer sees");
  observers_.push_back(std::move(observer));
}

void StepLoop::start() {
  methods_.start();
  Executor::Progress progress = executor_->begin(decided(energies_wanted(0)));
  if (make_mesh_check() && progress.energies) progress.energies = executor_->energies();
  tell_sorting();
  reach_step();
  label_clusters();
  show_step(progress);
}

void StepLoop::resume_from(const RunState& state) {
  Particles& particles = system_.particles;
  bool fits = state.step >= 0 && are_ids_of(state.id, particles);
  for_each_field<IsMoving>([&]<class Field>(Field) { fits = fits && Field::of(state).size() == particles.size(); });
  if (!fits) throw std::invalid_argument("the state belongs to other atoms");
  require_outer_step(system_.outer, state.step, "the state");
  for_each_field<IsMoving>([&]<class Field>(Field) { Field::of(particles) = Field::of(state); });
  particles.next_id = state.next_id;
  const bool alike = resumes_alike(method(), state);
  RunState from = state;
  if (!alike) from.term_states.clear();  // force terms of another processor keep something else
  executor_->resume(from, alike);
  population_ledger_.resume(state.carried);
  tell_sorting();
  methods_.resume(state.step, state.choice);
  std::erase_if(actions_, [&](const PopulationAction& action) { return action.step < state.step; });
}

RunState StepLoop::state() {
  executor_->fetch();
  RunState state;
  state.step = step();
  state.n_dof = n_dof_;
  for_each_field<IsInState>([&]<class Field>(Field) { Field::of(state) = Field::of(system_.particles); });
  state.next_id = system_.particles.next_id;
  state.carried = population_ledger_.carried();
  state.backend = method().backend;
  state.precision = method().precision;
  state.choice = choice_of(method(), step());
  executor_->add_to(state);
  return state;
}

void StepLoop::start_or_resume() {
  if (std::exchange(started_, true)) return;
  wait_for_first();
  if (from_)
    resume_from(*std::exchange(from_, nullptr));
  else
    start();
}

RunEnd StepLoop::run_to(std::int64_t last, const std::function<bool()>& stop) {
  if (last > step()) energies_at_last_ = std::exchange(energies_asked_, false);
  return run_to_end(last, stop);
}

RunEnd StepLoop::run_to_end(std::int64_t last, const std::function<bool()>& stop) {
  require_outer_step(system_.outer, last, "the last");
  last_step_ = last;
  start_or_resume();
  return step_until_end(stop);
}

void StepLoop::fetch() {
  if (started_) executor_->fetch();
}

std::optional<DeviceArrays> StepLoop::device_arrays() const {
  return started_ ? executor_->device_arrays() : std::nullopt;
}

void StepLoop::complete() {
  fetch();
  find_energies();
}

void StepLoop::find_energies() {
  energies_asked_ = true;
  if (row_.step == step()) return;
  record_energies(executor_->energies());  // stopped between two steps with energies
  executor_->check(row_.energies);
}

RunEnd StepLoop::run(const std::function<bool()>& stop) {
  const RunEnd end = run_to_end(config_.steps, stop);
  complete();
  const Timings::Scope scope(timings_, "outputs");
  const Snapshot last{step(), time(), system_.particles, force(), &row_};
  for (const auto& observer : observers_) observer->finish(last);
  return end;
}

RunEnd StepLoop::step_until_end(const std::function<bool()>& stop) {
  for (bool stopping = false;;) {
    if (!system_.outer.divide(step())) {  // a step broke on the way to an outer step
      make_steps(!stopping);
      continue;
    }
    std::optional<bool> converged;
    if (convergence_asked()) converged = executor_->integrator().converged(largest_force());
    if (converged == true) return RunEnd::converged;
    if (step() >= last_step_) return converged ? RunEnd::not_converged : RunEnd::finished;
    stopping = stopping || decided(stop());
    if (stopping && steps_started_ == 0) return RunEnd::interrupted;
    if (step() >= next_mesh_check()) make_mesh_check();
    if (step() >= next_action()) make_actions();
    if (std::exchange(has_dried_up_, false)) return RunEnd::dried_up;
    if (step() >= methods_.ask_at()) methods_.ask(*executor_, [this] { return sums_here(); });
    make_steps(!stopping);
  }
}

/// go_on: whether the steps after `last` may begin before the host knows anything of those up to it.
void StepLoop::start_steps(std::int64_t last, bool go_on) {
  struct Start {
    std::int64_t last;
    StepWants wants;
  };
  Start start{last, {.energies = energies_wanted(last), .time = look_pace_.judges(last - step())}};
  if (go_on && !start.wants.time) start.wants.next = next_whatever_is_seen_at(last);
  start.wants.next_energies = start.wants.next != 0 && energies_wanted(start.wants.next);
  start = decided(start);
  steps_under_way_to_ = executor_->start(start.last, start.wants) ? start.wants.next : 0;
  steps_started_ = start.last - step();
}

/// Returns the last step that follows those up to `last`, whatever observers see there; 0: what they see decides.
std::int64_t StepLoop::next_whatever_is_seen_at(std::int64_t last) const {
  const bool none_decides = std::none_of(observers_.begin(), observers_.end(), [&](const auto& o) {
    return o->wants_state(last) || o->wants_labels(last) != nullptr || o->may_end_run(last);
  });
  if (!none_decides || !may_start_beyond(last)) return 0;
  const std::int64_t next = next_seen_step_after(last);
  return look_pace_.judges(next - last) ? 0 : next;
}

/// Returns the last step to perform while the present one is observed. If observers need the present state, which takes
/// long, the host must not have to wait for these steps first.
std::int64_t StepLoop::next_step_ahead() const {
  const std::int64_t next = next_seen_step_after(step());
  if (!state_wanted()) return next;
  const std::int64_t freely = executor_->starts_freely_until(), last = freely - freely % system_.outer.every;
  return last > step() ? std::min(next, last) : next;
}

/// Advances to the next observed step. go_ahead: later steps may be performed while it is observed.
void StepLoop::make_steps(bool go_ahead) {
  const double begin = clock_();
  const std::int64_t from = step();
  if (steps_started_ == 0) start_steps(next_seen_step_after(step()), go_ahead);
  Executor::Progress progress = executor_->finish();
  const std::int64_t started = std::exchange(steps_started_, 0), under_way_to = std::exchange(steps_under_way_to_, 0);
  if (progress.broken) {
    look_pace_.broke();
    const bool is_outer = system_.outer.divide(step() + 1);
    progress = executor_->make_broken_step(decided(is_outer && energies_wanted(step() + 1)));
    tell_sorting();
    if (!is_outer) return;
    reach_step();
    label_clusters();
    return show_step(progress);
  }
  tell_sorting();
  methods_.steps_made(step() - from, clock_() - begin);
  look_pace_.made(started, progress.seconds);
  if (under_way_to > 0) {
    labels_.clear();
    start_steps(under_way_to, go_ahead);
    return show_step(progress);
  }
  reach_step();
  label_clusters();
  struct Ahead {
    bool goes, keeps;
  };
  const bool goes = go_ahead && may_go_ahead();
  // All ranks keep the same steps: after a fault, the steps since then are made again.
  const Ahead ahead = decided(Ahead{goes, goes && state_wanted()});
  if (ahead.keeps) executor_->keep();
  if (ahead.goes) start_steps(next_step_ahead(), go_ahead);
  show_step(progress);
}

/// Returns whether steps may be performed while the last one is observed. An observer may end the run, so it is asked
/// first.
bool StepLoop::may_go_ahead() const {
  return may_start_beyond(step()) &&
         std::none_of(observers_.begin(), observers_.end(), [&](const auto& o) { return o->may_end_run(step()); });
}

/// Returns whether steps after `seen`, which is not before the present step, may be performed before it has been
/// observed. A minimiser may have converged, so it is asked first. Steps that are timed are not performed beside other
/// work.
bool StepLoop::may_start_beyond(std::int64_t seen) const {
  return executor_->runs_ahead() &&
         seen < std::min({last_step_, methods_.ask_at(), next_action(), next_mesh_check()}) &&
         !methods_.steps_timed() && !executor_->integrator().is_minimizer();
}

/// Returns the next observed step after `now`; up to it nothing but steps is due after the present one.
std::int64_t StepLoop::next_seen_step_after(std::int64_t now) const {
  std::int64_t next = std::min({last_step_, methods_.ask_at(), next_action(), next_mesh_check(),
                                now + std::min(look_pace_.steps(), executor_->most_steps())});
  const auto stop_at = [&](std::int64_t every) {
    if (now / every < next / every) next = (now / every + 1) * every;
  };
  for (const auto& observer : observers_) stop_at(observer->every());
  if (executor_->integrator().is_minimizer()) stop_at(executor_->convergence_every());
  return system_.outer.from(next);
}

bool StepLoop::convergence_asked() const {
  return executor_->integrator().is_minimizer() &&
         (step() % executor_->convergence_every() == 0 || step() >= last_step_);
}

/// Returns whether observers need positions, velocities or forces of the present step.
bool StepLoop::state_wanted() const {
  return std::any_of(observers_.begin(), observers_.end(), [&](const auto& o) { return o->wants_state(step()); });
}

bool StepLoop::energies_wanted(std::int64_t step) const {
  return (step == last_step_ && energies_at_last_) ||
         std::any_of(observers_.begin(), observers_.end(), [&](const auto& o) { return o->wants_energies(step); });
}

/// Returns the sums of a complete step, from which no step has been started.
StepSums StepLoop::sums_here() {
  const PairSums pairs = row_.step == step() ? pairs_ : executor_->energies().pairs;
  executor_->fetch();
  return {pairs, largest_speed(system_.particles)};
}

void StepLoop::record_energies(const ForceField::Result& result) {
  row_ = {step(), time(), result.energies, 0, population_ledger_.with_atoms(result.ledger)};
  row_.temperature = temperature_of(row_.energies.kinetic, n_dof_, system_.units);
  pairs_ = result.pairs;
}

/// To be called between steps.
void StepLoop::tell_sorting() {
  const std::optional<ReorderInterval> reordering = executor_->reordering();
  if (!reordering || reordering->interval == std::exchange(told_interval_, reordering->interval)) return;
  on_sorting_(reordering->last, reordering->interval);
}

void StepLoop::reach_step() {
  for (const auto& observer : observers_) observer->reached(step());
}

/// To be called between steps.
void StepLoop::label_clusters() {
  labels_.clear();
  for (const auto& observer : observers_)
    if (const ClusterLinks* links = observer->wants_labels(step())) {
      const Timings::Scope scope(timings_, "labels of clusters");
      labels_ = executor_->cluster_labels(*links);
    }
}

/// Later steps may be performed meanwhile.
void StepLoop::show_step(const Executor::Progress& progress) {
  if (progress.energies) {
    record_energies(*progress.energies);
    executor_->check(row_.energies);
  }
  if (state_wanted()) executor_->fetch();
  const Timings::Scope scope(timings_, "outputs");
  const Snapshot snapshot{step(), time(), system_.particles, force(), progress.energies ? &row_ : nullptr, labels_};
  for (const auto& observer : observers_) observer->observe(snapshot);
}

}  // namespace dropmd

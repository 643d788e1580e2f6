#include "engine/step_loop.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/errors.h"
#include "engine/centre.h"
#include "engine/methods/catalogue.h"
#include "engine/methods/step_cost.h"
#include "engine/methods/workload.h"
#include "engine/thermometer.h"

namespace dropmd {

namespace {

/// 3N less the removed momenta: linear where it is removed during the run or was when velocities were drawn, angular
/// where it is removed during the run. An integrator that does not keep the momentum, such as Langevin's with its noise
/// on every atom, brings back within its memory what was removed at the start.
std::size_t degrees_of_freedom(const System& system, const RunSettings& config) {
  RemoveMomentum removed = config.recenter_every > 0 ? config.remove_momentum : RemoveMomentum::none;
  if (system.momentum_removed_at_start && keeps_momentum(config.integrator)) {
    if (removed == RemoveMomentum::none) removed = RemoveMomentum::linear;
    if (removed == RemoveMomentum::angular) removed = RemoveMomentum::both;
  }
  const std::size_t all = 3 * system.particles.size();
  return all - std::min(all, removed_degrees(system.particles, removed));
}

/// Whether the run goes on as it was, to the same bytes.
bool goes_on_alike(const Method& method, const RunState& from) {
  return from.backend == method.backend && from.precision == method.precision &&
         from.choice == choice_of(method, from.choice.step);
}

/// Whether the configuration leaves it open how pairs are found, or says it as it was.
bool allows(const RunSettings& config, const Method& method, const MethodChoice& choice) {
  if (config.neighbor != NeighborMethod::automatic && config.neighbor != choice.neighbor) return false;
  return !config.skin || !has_skin(with_choice(method, choice)) || method.skin == choice.skin;
}

Method first_method(const Method& method, const System& system, const RunSettings& config, const MethodSource* source,
                    const RunState* from) {
  if (from != nullptr) {
    Method as_before = with_choice(method, from->choice);
    if (goes_on_alike(as_before, *from) && allows(config, method, from->choice)) return as_before;
  }
  return source != nullptr ? with_choice(method, source->first()) : with_fitting_skin(method, system, config);
}

/// Forces on the host: beside a GPU in double precision, and without lists, which would take most of the memory.
Method on_host(Method method) {
  if (method.backend == Backend::cpu) return method;
  method.backend = Backend::cpu;
  method.precision = Precision::fp64;
  if (needs_cutoff(method.neighbor)) method.neighbor = NeighborMethod::cells;
  return method;
}

/// Seconds on a GPU between two looks at signals.
constexpr double kDeviceSeconds = 0.2;
/// On a GPU a minimiser is asked at steps divisible by this whether it is done: whatever else is looked at.
constexpr std::int64_t kConvergenceEvery = 20;

}  // namespace

StepLoop::StepLoop(System& system, const RunSettings& config, const Method& method, Timings& timings,
                   std::unique_ptr<MethodSource> source, const RunState* from)
    : system_(system),
      config_(config),
      cpu_(method.cpu),
      timings_(timings),
      source_(std::move(source)),
      method_(first_method(method, system, config, source_.get(), from)),
      force_field_(system, on_host(method_)),
      n_dof_(from != nullptr ? from->n_dof : degrees_of_freedom(system, config)),
      integrator_(make_integrator(config.integrator, system.units, {.seed = config.random_seed, .n_dof = n_dof_})),
      guard_(system),
      device_(make_device_run(system, config, method_, n_dof_)),
      ask_at_(source_ ? 0 : std::numeric_limits<std::int64_t>::max()),
      force_(system.particles.size()),
      last_step_(config.steps) {
  if (from != nullptr) {
    from_ = std::make_unique<const RunState>(*from);
    step_ = from->step;
    return;
  }
  if (integrator_->is_minimizer())
    std::fill(system.particles.velocity.begin(), system.particles.velocity.end(), Vec3<double>{});
  guard_.check_start();
}

void StepLoop::start() {
  step_ = 0;
  if (source_) on_switch_(choice_of(method_, 0));
  const bool energies = complete_step();
  reach_step();
  show_step(energies);
}

void StepLoop::go_on_from(const RunState& state) {
  Particles& particles = system_.particles;
  const std::size_t n = particles.size();
  if (state.position.size() != n || state.velocity.size() != n || state.step < 0)
    throw std::invalid_argument("the state is of other atoms");
  particles.position = state.position;
  particles.velocity = state.velocity;
  step_ = state.step;
  guard_.check_finite(step_, time(), {}, {});
  integrator_->learn(state.learnt);
  if (source_) ask_at_ = step_;
  if (device_) {
    const Timings::Scope scope(timings_, "copies to the GPU");
    if (!goes_on_alike(method_, state) || !device_->go_on_from(particles, state)) {
      device_->upload(particles, step_);
      device_->learn(state.learnt);
    }
    tell_sorting();
  } else if (goes_on_alike(method_, state) && state.force.size() == n) {
    if (state.list_positions.size() == n) force_field_.build_list(state.list_positions);
    force_ = state.force;
  } else {
    const Timings::Scope scope(timings_, "forces");
    force_field_.evaluate(now(), Want::forces, force_);
  }
  if (source_ && !(state.choice == choice_of(method_, state.choice.step))) on_switch_(choice_of(method_, step_));
}

RunState StepLoop::state() {
  fetch_state();
  RunState state{.step = step_,
                 .n_dof = n_dof_,
                 .position = system_.particles.position,
                 .velocity = system_.particles.velocity,
                 .learnt = device_ ? device_->learnt() : integrator_->learnt(),
                 .backend = method_.backend,
                 .precision = method_.precision,
                 .choice = choice_of(method_, step_)};
  if (device_) {
    device_->add_to(state);
    return state;
  }
  state.force = force_;
  const auto list = force_field_.list_positions();
  state.list_positions.assign(list.begin(), list.end());
  return state;
}

void StepLoop::start_or_go_on() {
  if (std::exchange(started_, true)) return;
  if (from_)
    go_on_from(*std::exchange(from_, nullptr));
  else
    start();
}

RunEnd StepLoop::run_to(std::int64_t last, const std::function<bool()>& stop) {
  last_step_ = last;
  start_or_go_on();
  const RunEnd end = step_until_end(stop);
  fetch_state();
  if (row_.step != step_) {  // stopped between two steps with energies
    record_energies(device_ ? device_->energies() : host_energies());
  }
  return end;
}

RunEnd StepLoop::run(const std::function<bool()>& stop) {
  const RunEnd end = run_to(config_.steps, stop);
  const Timings::Scope scope(timings_, "outputs");
  const Snapshot last{step_, time(), system_.particles, force_, &row_};
  for (const auto& observer : observers_) observer->finish(last);
  return end;
}

RunEnd StepLoop::step_until_end(const std::function<bool()>& stop) {
  for (bool stopping = false;;) {
    std::optional<bool> converged;
    if (convergence_asked()) converged = integrator_->converged(largest_force());
    if (converged == true) return RunEnd::converged;
    if (step_ >= last_step_) return converged ? RunEnd::not_converged : RunEnd::finished;
    stopping = stopping || stop();
    if (stopping && steps_started_ == 0) return RunEnd::interrupted;
    if (step_ >= ask_at_) ask_for_method();
    if (device_)
      step_on_device(!stopping);
    else
      make_step();
  }
}

void StepLoop::make_step() {
  const double begin = clock_();
  move();
  const bool energies = complete_step();
  report_.seconds += clock_() - begin;
  ++report_.steps;
  reach_step();
  show_step(energies);
}

void StepLoop::ask_for_method() {
  constexpr int kMostRefusals = 20;  // more than there are methods: no source insists for ever
  for (int refusals = 0;; ++refusals) {
    report_.step = step_;
    report_.in_use = choice_of(method_, step_);
    report_.refused = refusals > 0;
    const MethodOrder order = source_->next(report_, [&] { return sums_here(); });
    report_ = {};
    ask_at_ = std::max(order.until, step_ + 1);
    steps_timed_ = order.timed;
    const MethodChoice now = choice_of(method_, step_);
    if (!order.anew && order.choice == now) {
      // It was made anew after a refusal, and a replay does the same.
      if (refusals > 0) on_switch_(now);
      return;
    }
    if (try_to_switch(order.choice, source_->takes_refusal() && refusals < kMostRefusals)) return;
  }
}

/// False: refused, and the run is as it was.
bool StepLoop::try_to_switch(const MethodChoice& choice, bool may_be_refused) {
  if (!may_be_refused) {
    switch_to(choice);
    return true;
  }
  const Method before = method_;
  try {
    switch_to(choice);
    return true;
  } catch (const InputError&) {   // the droplet does not suit the method
  } catch (const DeviceError&) {  // no room for it
  }
  use(before);
  return false;
}

/// At a complete step: the steps after it find their pairs in another way.
void StepLoop::switch_to(const MethodChoice& choice) {
  const Timings::Scope scope(timings_, "changes of method");
  const double begin = clock_();
  if (device_) {
    fetch_state();
    learnt_ = device_->learnt();
    sort_pace_ = device_->sort_pace();
  }
  use(with_choice(method_, choice));
  report_.switch_seconds = clock_() - begin;
  on_switch_(choice_of(method_, step_));
}

/// From the state and, on a GPU, the integrator's and the pace of sorting as they were fetched.
void StepLoop::use(const Method& method) {
  method_ = method;
  if (method.backend != Backend::cuda) {
    force_field_ = ForceField(system_, method_);
    return;
  }
  device_.reset();  // its memory first
  device_ = make_device_run(system_, config_, method_, n_dof_);
  if (!device_) return;  // no atoms
  device_->set_sort_pace(sort_pace_);
  device_->upload(system_.particles, step_);
  device_->learn(learnt_);
}

/// Of a complete step, from which none was started yet.
StepSums StepLoop::sums_here() {
  const PairSums pairs = row_.step == step_ ? pairs_ : (device_ ? device_->energies() : host_energies()).pairs;
  fetch_state();
  return {pairs, largest_speed(system_.particles)};
}

bool StepLoop::convergence_asked() const {
  return integrator_->is_minimizer() && (!device_ || step_ % kConvergenceEvery == 0 || step_ >= last_step_);
}

bool StepLoop::may_end_here() const {
  return integrator_->is_minimizer() ||
         std::any_of(observers_.begin(), observers_.end(), [&](const auto& o) { return o->may_end_run(step_); });
}

std::int64_t StepLoop::next_seen_step() const {
  std::int64_t next = std::min({last_step_, ask_at_, step_ + device_steps_});
  const auto stop_at = [&](std::int64_t every) {
    if (step_ / every < next / every) next = (step_ / every + 1) * every;
  };
  for (const auto& observer : observers_) stop_at(observer->every());
  if (integrator_->is_minimizer()) stop_at(kConvergenceEvery);
  return next;
}

void StepLoop::start_steps() {
  const Timings::Scope scope(timings_, "steps on the GPU");
  const std::int64_t next = next_seen_step();
  device_->start(next, energies_wanted(next));
  steps_started_ = next - step_;
}

/// Up to the next step that somebody wants to see. go_ahead: while it is looked at, the device makes the next ones.
void StepLoop::step_on_device(bool go_ahead) {
  const double begin = clock_();
  const std::int64_t from = step_;
  DeviceRun::Progress progress;
  {
    const Timings::Scope scope(timings_, "steps on the GPU");
    if (steps_started_ == 0) start_steps();
    progress = device_->finish();
    step_ = progress.step;
    state_step_ = -1;
  }
  const std::int64_t steps = std::exchange(steps_started_, 0);
  if (progress.broken) {
    device_steps_ = 1;  // the next may break, too: few steps in vain
    return make_broken_step();
  }
  tell_sorting();
  report_.seconds += clock_() - begin;
  report_.steps += step_ - from;
  reach_step();
  if (progress.seconds > kDeviceSeconds) device_steps_ = std::max<std::int64_t>(1, device_steps_ / 2);
  if (progress.seconds < 0.5 * kDeviceSeconds && steps == device_steps_) device_steps_ *= 2;
  // A minimiser may be done, and an observer may end the run: they are asked before it goes on. Steps that are timed
  // are not made beside other work.
  if (go_ahead && step_ < std::min(last_step_, ask_at_) && !steps_timed_ && !may_end_here()) start_steps();
  if (progress.energies) {
    record_energies(*progress.energies);
    guard_.check_finite(step_, time(), {}, row_.energies);
  }
  if (std::any_of(observers_.begin(), observers_.end(), [&](const auto& o) { return o->wants_state(step_); }))
    fetch_state();
  show_step(progress.energies.has_value());
}

/// The host makes the step that broke on the device, and says what is wrong in its own words. Where it finds nothing
/// wrong - a force beyond the device's fixed point, as between atoms that overlap - the device goes on from there.
void StepLoop::make_broken_step() {
  fetch_state();
  take_forces_from_device();  // those of the step before may lack what broke them
  move();
  const bool energies = complete_step();
  reach_step();
  show_step(energies);
}

/// The forces on the atoms as they are, in the memory of the run, which then goes on from them; by the host where the
/// device cannot hold one.
void StepLoop::take_forces_from_device() {
  const bool held = device_->upload(system_.particles, step_);
  device_->download(system_.particles, force_);
  if (!held) force_field_.evaluate(now(), Want::forces, force_);
}

/// Between steps on the device.
void StepLoop::tell_sorting() {
  const SortPace pace = device_->sort_pace();
  if (pace.interval == std::exchange(told_interval_, pace.interval)) return;
  on_sorting_(pace.last, pace.interval);
}

/// Positions, velocities and forces of the last step, from the device if they are there.
void StepLoop::fetch_state() {
  if (!device_ || state_step_ == step_) return;
  const Timings::Scope scope(timings_, "copies from the GPU");
  device_->download(system_.particles, force_);
  state_step_ = step_;
  guard_.check_finite(step_, time(), force_, {});
}

double StepLoop::largest_force() const {
  if (device_) return device_->largest_force();  // wherever the state is: the same number however a run is watched
  double largest = 0;
  for (const Vec3<double>& f : force_) largest = std::max(largest, norm(f));
  return largest;
}

bool StepLoop::recentering_step() const { return config_.recenter_every > 0 && step_ % config_.recenter_every == 0; }

void StepLoop::move() {
  const Timings::Scope scope(timings_, "integrators");
  guard_.before_move();
  ++step_;
  integrator_->move(cpu_, system_.particles, force_, static_cast<std::uint64_t>(step_));
  guard_.check_move(step_, time(), force_);
}

ForceField::Result StepLoop::host_energies() {
  return with_kinetic(force_field_.evaluate(now(), Want::forces_and_energies, force_));
}

ForceField::Result StepLoop::with_kinetic(ForceField::Result result) const {
  result.energies.kinetic = kinetic_energy(cpu_, system_.particles.mass, system_.particles.velocity, system_.units);
  return result;
}

void StepLoop::record_energies(const ForceField::Result& result) {
  row_ = {step_, time(), result.energies, 0};
  row_.temperature = temperature_of(row_.energies.kinetic, n_dof_, system_.units);
  pairs_ = result.pairs;
}

/// Whether with energies.
bool StepLoop::complete_step() {
  Particles& particles = system_.particles;
  if (recentering_step()) {
    const Timings::Scope scope(timings_, "recentring");
    recenter(cpu_, particles, recentring(config_, system_));
  }
  const bool energies = energies_wanted(step_);
  ForceField::Result result;
  {
    const Timings::Scope scope(timings_, "forces");
    if (device_)
      take_forces_from_device();
    else
      result = force_field_.evaluate(now(), energies ? Want::forces_and_energies : Want::forces, force_);
  }
  {
    const Timings::Scope scope(timings_, "integrators");
    if (step_ > 0) integrator_->finish(cpu_, particles, force_, static_cast<std::uint64_t>(step_));
  }
  if (recentering_step()) {
    const Timings::Scope scope(timings_, "recentring");
    remove_momentum(cpu_, particles, config_.remove_momentum);
  }
  if (energies && !device_) record_energies(with_kinetic(result));
  if (device_) {  // goes on from here, with the velocities; its energies are those of its next steps, to the last bit
    const Timings::Scope scope(timings_, "copies to the GPU");
    device_->upload(particles, step_);
    tell_sorting();
    if (energies) record_energies(device_->energies());
  }
  {
    const Timings::Scope scope(timings_, "checks");
    guard_.check_finite(step_, time(), force_, energies ? row_.energies : Energies{});
  }
  state_step_ = step_;
  return energies;
}

bool StepLoop::energies_wanted(std::int64_t step) const {
  return step == last_step_ ||
         std::any_of(observers_.begin(), observers_.end(), [&](const auto& o) { return o->wants_energies(step); });
}

void StepLoop::reach_step() {
  for (const auto& observer : observers_) observer->reached(step_);
}

void StepLoop::show_step(bool energies) {
  const Timings::Scope scope(timings_, "outputs");
  const Snapshot snapshot{step_, time(), system_.particles, force_, energies ? &row_ : nullptr};
  for (const auto& observer : observers_) observer->observe(snapshot);
}

}  // namespace dropmd

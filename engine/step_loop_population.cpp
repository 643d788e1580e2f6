#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "device/memory_reuse.h"
#include "engine/degrees_of_freedom.h"
#include "engine/droplet/atom_groups.h"
#include "engine/methods/step_cost.h"
#include "engine/model/coulomb_division.h"
#include "engine/outer_step_rules.h"
#include "engine/physics_guard.h"
#include "engine/step_loop.h"

/// The segments of a run: between two changes the number of atoms and the mesh are constant, and an executor knows only
/// its own segment.
namespace dropmd {

namespace {

/// Whether these numbers of atoms get the same method, which is chosen anew only when the number passes a power of
/// 2^(1/16). A run that has resumed in between therefore makes the same choices.
bool are_alike(std::size_t n, std::size_t other) {
  const auto class_of = [](std::size_t atoms) { return std::floor(16 * std::log2(static_cast<double>(atoms))); };
  return n > 0 && other > 0 && class_of(n) == class_of(other);
}

/// Returns what atoms carry with them. id: ascending.
RemovedSums sums_of(const Particles& p, std::span<const std::uint32_t> id) {
  RemovedSums sums;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!std::binary_search(id.begin(), id.end(), p.id_of(i))) continue;
    const Vec3<double> momentum = p.mass[i] * p.velocity[i];
    sums += {p.mass[i], p.charge[i], momentum, cross(p.position[i], momentum)};
  }
  return sums;
}

}  // namespace

void StepLoop::add_action(PopulationAction action) {
  if (!actions_.empty() && action.step < actions_.back().step)
    throw std::invalid_argument("actions must be in the order of their steps");
  require_outer_step(system_.outer, action.step, "a change of the population");
  actions_.push_back(std::move(action));
  open_population_ledger();
}

std::vector<std::int64_t> StepLoop::actions_to_come() const {
  std::vector<std::int64_t> steps;
  for (const PopulationAction& action : actions_) steps.push_back(action.step);
  return steps;
}

/// Minimisers have no ledger.
void StepLoop::open_population_ledger() {
  if (executor_->integrator().is_minimizer()) return;
  population_ledger_.open(Cause::removed);
  population_ledger_.open(Cause::added);
}

void StepLoop::set_population_rule(PopulationRule rule) {
  require_outer_step(system_.outer, rule.every, "a change of the population");
  rule_ = std::move(rule);
  if (rule_->change) open_population_ledger();
}

/// Returns the first step from the present one at which the rule is still to be applied.
std::int64_t StepLoop::next_rule() const {
  if (!rule_) return std::numeric_limits<std::int64_t>::max();
  const std::int64_t now = step();
  return now % rule_->every == 0 && now != rule_applied_ ? now : (now / rule_->every + 1) * rule_->every;
}

std::int64_t StepLoop::next_action() const {
  return std::min(next_rule(), actions_.empty() ? std::numeric_limits<std::int64_t>::max() : actions_.front().step);
}

/// To be called at a complete step, from which no step has been started. The rule comes before the actions.
void StepLoop::make_actions() {
  if (step() == next_rule()) {
    rule_applied_ = step();
    executor_->fetch();
    if (rule_->change)
      if (const PopulationChange change = rule_->change(step(), time(), system_); !change.empty())
        change_population(change);
    if (rule_->regroup && rule_->regroup(system_.particles))
      executor_->groups_changed(bath_degrees(system_, config_, n_dof_));
    has_dried_up_ = rule_->has_dried_up && rule_->has_dried_up();
  }
  while (!actions_.empty() && step() >= actions_.front().step) {
    const PopulationAction action = std::move(actions_.front());
    actions_.erase(actions_.begin());
    executor_->fetch();
    change_population(action.change(system_));
  }
}

/// Removing and adding atoms are two changes, since each is booked separately. Only added atoms may overlap others.
void StepLoop::change_population(const PopulationChange& change) {
  start_or_resume();
  wait_for_first();
  executor_->fetch();
  System left = changed(system_, {.removed = change.removed});
  std::optional<System> all;
  if (!change.added.empty()) {
    all = changed(left, {.added = change.added});
    set_groups_of_added(all->particles, left.particles.size(), config_);
    PhysicsGuard(*all).check_start(step(), time());
  }
  open_population_ledger();
  if (!change.removed.empty()) {
    const double before = executor_->energies().energies.total();
    std::vector<std::uint32_t> id = change.removed;
    std::sort(id.begin(), id.end());
    const RemovedSums sums = sums_of(system_.particles, id);
    begin_segment(std::move(left));
    book(Cause::removed, std::move(id), sums, before);
  }
  if (all) {
    const double before = executor_->energies().energies.total();
    const auto first = static_cast<std::ptrdiff_t>(system_.particles.size());
    begin_segment(std::move(*all));
    const std::vector<std::uint32_t>& id = system_.particles.id;
    const std::vector<std::uint32_t> added(id.begin() + first, id.end());
    book(Cause::added, added, sums_of(system_.particles, added), before);
  }
  for (const auto& observer : observers_) observer->system_changed();
}

void StepLoop::change_molecules(ChangedMolecules changed) {
  System next = std::move(changed.system);
  set_groups_again(next, config_);
  PhysicsGuard(next).check_start(step(), time());
  open_population_ledger();
  const double before = executor_->energies().energies.total();
  RemovedSums change;
  const auto count = [&](const Particles& p, double sign) {
    change.mass += sign * std::accumulate(p.mass.begin(), p.mass.end(), 0.0);
    change.charge += sign * std::accumulate(p.charge.begin(), p.charge.end(), 0.0);
  };
  count(system_.particles, -1);
  begin_segment(std::move(next));
  count(system_.particles, 1);
  book(Cause::added, std::move(changed.ids), change, before);
  for (const auto& observer : observers_) observer->system_changed();
}

/// Continues from the present complete step, whose positions and velocities the system has.
void StepLoop::begin_segment(System&& system) {
  const Timings::Scope scope(timings_, "changes of the population");
  const bool alike = are_alike(system_.particles.size(), system.particles.size());
  RunState state;
  state.step = step();
  executor_->add_carried_to(state);
  state.booked = population_ledger_.pass_on(state.booked, system_.particles, system.particles);
  if (method().backend == Backend::cuda && memory_.empty())
    for (const int device : method().gpus()) memory_.push_back(reuse_memory(device));
  executor_.reset();  // frees its memory first
  system_ = std::move(system);
  n_dof_ = degrees_of_freedom(system_, config_);
  if (!alike) choose_segment_method(state.step);
  wait_for_first();
  executor_ = make_executor(system_, config_, method(), n_dof_, timings_);
  executor_->resume(state, /*alike=*/false);
  open_mesh_ledger();
  row_.step = -1;  // of other atoms
}

/// Chooses the method of a segment.
void StepLoop::choose_segment_method(std::int64_t step) {
  SegmentMethod next = choose_ ? choose_() : SegmentMethod{method(), nullptr};
  if (!next.source) next.method = with_fitting_skin(next.method, system_, config_);
  if (next.source) next.method = with_choice(next.method, next.source->first());
  methods_.renew(std::move(next.source), next.method, step);
}

void StepLoop::book(Cause cause, std::vector<std::uint32_t> id, const RemovedSums& sums, double energy_before) {
  PopulationBooking booking{.step = step(), .cause = cause, .id = std::move(id)};
  booking.energy = executor_->energies().energies.total() - energy_before;
  booking.mass = sums.mass;
  booking.charge = sums.charge;
  population_ledger_.book(booking.cause, booking.energy);
  if (cause == Cause::removed) population_ledger_.book(sums);
  on_booking_(booking);
  wait_for_first();
}

void StepLoop::check_mesh(MeshCheck check) {
  mesh_check_ = std::move(check);
  open_mesh_ledger();
}

void StepLoop::open_mesh_ledger() {
  const bool may_change = mesh_check_ && system_.mesh && !system_.mesh->fixed_spacing;
  if (may_change && !executor_->integrator().is_minimizer()) population_ledger_.open(Cause::mesh);
}

/// Returns the next step to check, which may be the present one.
std::int64_t StepLoop::next_mesh_check() const {
  if (!mesh_check_ || !system_.mesh) return std::numeric_limits<std::int64_t>::max();
  const std::int64_t now = step();
  return mesh_check_->next_from(now != mesh_checked_ ? now : now + 1, system_.outer);
}

/// To be called at a complete step, from which no step has been started. Returns whether the mesh has changed.
bool StepLoop::make_mesh_check() {
  if (step() != next_mesh_check()) return false;
  mesh_checked_ = step();
  for (bool changed = false;; changed = true) {
    executor_->fetch();
    std::optional<CoulombMesh> other;
    {
      const Timings::Scope scope(timings_, "error of the mesh");
      other = mesh_check_->other({step(), time(), force(), method()}, system_);
    }
    if (!other) return changed;
    const double before = step() > 0 ? executor_->energies().energies.total() : 0;
    change_mesh(*other);
    if (step() == 0) continue;  // the ledger begins when step 0 is complete
    const double change = executor_->energies().energies.total() - before;
    population_ledger_.book(Cause::mesh, change);
    mesh_check_->say_change(step(), change, system_.units);
  }
}

/// Begins a segment with the same atoms and another mesh.
void StepLoop::change_mesh(const CoulombMesh& mesh) {
  const Timings::Scope scope(timings_, "changes of the mesh");
  RunState state;
  state.step = step();
  executor_->add_carried_to(state);
  state.term_states.clear();  // of a mesh with other points
  executor_.reset();          // frees its memory first
  System other = with_mesh(system_, mesh, method().backend, method().precision);
  system_.model = std::move(other.model);
  system_.terms = std::move(other.terms);
  system_.mesh = mesh;
  executor_ = make_executor(system_, config_, method(), n_dof_, timings_);
  executor_->resume(state, /*alike=*/false);
  for (const auto& observer : observers_) observer->system_changed();
}

}  // namespace dropmd

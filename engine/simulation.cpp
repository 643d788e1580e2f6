#include "engine/simulation.h"

#include <algorithm>

#include "engine/centre.h"
#include "engine/thermometer.h"

namespace dropmd {

namespace {

/// 3N less the removed momenta: linear where it is removed during the run or was when velocities were drawn, angular
/// where it is removed during the run. An integrator that does not keep the momentum, such as Langevin's with its noise
/// on every atom, brings back within its memory what was removed at the start.
std::size_t degrees_of_freedom(const System& system, const RunConfig& config) {
  RemoveMomentum removed = config.recenter_every > 0 ? config.remove_momentum : RemoveMomentum::none;
  if (system.momentum_removed_at_start && keeps_momentum(config.integrator)) {
    if (removed == RemoveMomentum::none) removed = RemoveMomentum::linear;
    if (removed == RemoveMomentum::angular) removed = RemoveMomentum::both;
  }
  const std::size_t all = 3 * system.particles.size();
  return all - std::min(all, removed_degrees(system.particles, removed));
}

}  // namespace

Simulation::Simulation(System& system, const RunConfig& config, const Method& method, Timings& timings)
    : system_(system),
      config_(config),
      cpu_(method.cpu),
      timings_(timings),
      force_field_(system, method),
      n_dof_(degrees_of_freedom(system, config)),
      integrator_(make_integrator(config.integrator, system.units, {.seed = config.random_seed, .n_dof = n_dof_})),
      guard_(system),
      force_(system.particles.size()) {
  if (integrator_->is_minimizer())
    std::fill(system.particles.velocity.begin(), system.particles.velocity.end(), Vec3<double>{});
  guard_.check_start();
}

RunEnd Simulation::run(const std::function<bool()>& stop) {
  step_ = 0;
  complete_step(config_.steps == 0);
  const RunEnd end = step_until_end(stop);
  if (row_.step != step_) {  // stopped between two steps with energies
    record_energies(force_field_.evaluate(system_.particles.position, force_, Want::forces_and_energies));
  }
  const Timings::Scope scope(timings_, "outputs");
  const Snapshot last{step_, time(), system_.particles, force_, &row_};
  for (const auto& observer : observers_) observer->finish(last);
  return end;
}

RunEnd Simulation::step_until_end(const std::function<bool()>& stop) {
  for (;; move(), complete_step(step_ == config_.steps)) {
    const std::optional<bool> converged = integrator_->converged(largest_force());
    if (converged == true) return RunEnd::converged;
    if (step_ >= config_.steps) return converged ? RunEnd::not_converged : RunEnd::finished;
    if (stop()) return RunEnd::interrupted;
  }
}

double Simulation::largest_force() const {
  double largest = 0;
  for (const Vec3<double>& f : force_) largest = std::max(largest, norm(f));
  return largest;
}

bool Simulation::recentering_step() const { return config_.recenter_every > 0 && step_ % config_.recenter_every == 0; }

void Simulation::move() {
  const Timings::Scope scope(timings_, "integrators");
  guard_.before_move();
  ++step_;
  integrator_->move(cpu_, system_.particles, force_, static_cast<std::uint64_t>(step_));
  guard_.check_move(step_, time(), force_);
}

void Simulation::record_energies(const ForceField::Result& result) {
  row_ = {step_, time(), result.energies, 0};
  row_.energies.kinetic = kinetic_energy(cpu_, system_.particles.mass, system_.particles.velocity, system_.units);
  row_.temperature = temperature_of(row_.energies.kinetic, n_dof_, system_.units);
  pairs_ = result.pairs;
}

void Simulation::complete_step(bool last) {
  Particles& particles = system_.particles;
  if (recentering_step()) {
    const Timings::Scope scope(timings_, "recentring");
    recenter(cpu_, particles, config_.recenter);
  }
  const bool energies = last || std::any_of(observers_.begin(), observers_.end(),
                                            [&](const auto& o) { return o->wants_energies(step_); });
  ForceField::Result result;
  {
    const Timings::Scope scope(timings_, "forces");
    result = force_field_.evaluate(particles.position, force_, energies ? Want::forces_and_energies : Want::forces);
  }
  {
    const Timings::Scope scope(timings_, "integrators");
    if (step_ > 0) integrator_->finish(cpu_, particles, force_, static_cast<std::uint64_t>(step_));
  }
  if (recentering_step()) {
    const Timings::Scope scope(timings_, "recentring");
    remove_momentum(cpu_, particles, config_.remove_momentum);
  }
  if (energies) record_energies(result);
  {
    const Timings::Scope scope(timings_, "checks");
    guard_.check_finite(step_, time(), force_, energies ? row_.energies : Energies{});
  }
  const Timings::Scope scope(timings_, "outputs");
  const Snapshot snapshot{step_, time(), particles, force_, energies ? &row_ : nullptr};
  for (const auto& observer : observers_) observer->observe(snapshot);
}

}  // namespace dropmd

#pragma once

#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "engine/simulation.h"
#include "tests/support/charged_atoms.h"
#include "tests/support/pair_models.h"

/// Runs built in code, in units lj, fp64 and all pairs on the CPU unless a test says otherwise.
namespace dropmd {

inline Structure structure_of(const ChargedAtoms& atoms) {
  Structure structure;
  structure.position = atoms.position;
  structure.charge = atoms.charge;
  structure.species.assign(atoms.size(), 0);
  structure.species_names = {"X"};
  return structure;
}

/// Lennard-Jones with ε = σ = 1 without cutoff, no wall, no recentring.
inline RunConfig lj_run(FormChoice integrator, std::int64_t steps) {
  RunConfig config;
  config.file = "built-in-code";
  config.lennard_jones = LennardJonesConfig{.epsilon = 1.0, .sigma = 1.0, .treatment = {"none"}};
  config.integrator = std::move(integrator);
  config.steps = steps;
  config.recenter_every = 0;
  config.recenter = Recenter::none;
  return config;
}

inline FormChoice verlet(double timestep) { return {"velocity-verlet", {{"timestep", timestep}}}; }

inline Method fp64_method(int threads = 1, NeighborMethod neighbor = NeighborMethod::all_pairs) {
  Method method;
  method.precision = Precision::fp64;
  method.neighbor = neighbor;
  method.cpu.threads = threads;
  return method;
}

/// Calls `look` with every step, or, where it does not see the state, with those that a run stops at; wants energies
/// where `every` divides the step (0: never).
class StepObserver final : public Observer {
 public:
  using Look = std::function<void(const Snapshot&)>;
  StepObserver(std::int64_t every, Look look, bool sees_state)
      : every_(every), look_(std::move(look)), sees_state_(sees_state) {}
  std::int64_t every() const override {
    if (sees_state_) return 1;
    return every_ > 0 ? every_ : std::numeric_limits<std::int64_t>::max();
  }
  bool wants_state(std::int64_t) const override { return sees_state_; }
  bool wants_energies(std::int64_t step) const override { return every_ > 0 && step % every_ == 0; }
  void observe(const Snapshot& snapshot) override { look_(snapshot); }

 private:
  std::int64_t every_;
  Look look_;
  bool sees_state_;
};

struct RunResult {
  RunEnd end = RunEnd::finished;
  std::int64_t steps = 0;
  EnergyRow last;
  std::vector<Vec3<double>> force;
  std::vector<EnergyRow> rows;  ///< of the steps that `energies_every` divides
};

/// Runs the system to the end of the configuration; `look` sees every step.
inline RunResult run_short(
    System& system, const RunConfig& config, const Method& method = fp64_method(), std::int64_t energies_every = 1,
    const StepObserver::Look& look = nullptr, const std::function<bool()>& stop = [] { return false; }) {
  Timings timings;
  Simulation simulation(system, config, method, timings);
  RunResult result;
  simulation.add_observer(std::make_unique<StepObserver>(
      energies_every,
      [&](const Snapshot& s) {
        if (s.energies != nullptr && energies_every > 0 && s.step % energies_every == 0)
          result.rows.push_back(*s.energies);
        if (look) look(s);
      },
      look != nullptr));
  result.end = simulation.run(stop);
  result.steps = simulation.step();
  result.last = simulation.energies();
  result.force = simulation.force();
  return result;
}

}  // namespace dropmd

#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/step_loop.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/charged_atoms.h"
#include "tests/support/pair_models.h"

/// Runs built in code, in lj units, with fp64 and all pairs on the CPU unless a test says otherwise.
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

/// Calls `look` with the steps that it sees: those that are multiples of the intervals (0: none), and on the CPU all.
/// It requests energies and the state where their interval divides the step.
class StepObserver final : public Observer {
 public:
  using Look = std::function<void(const Snapshot&)>;
  StepObserver(std::int64_t energies_every, std::int64_t state_every, Look look)
      : energies_every_(energies_every), state_every_(state_every), look_(std::move(look)) {}
  std::int64_t every() const override {
    const std::int64_t both = std::gcd(energies_every_, state_every_);
    return both > 0 ? both : std::numeric_limits<std::int64_t>::max();
  }
  bool wants_state(std::int64_t step) const override { return divides(state_every_, step); }
  bool wants_energies(std::int64_t step) const override { return divides(energies_every_, step); }
  void observe(const Snapshot& snapshot) override { look_(snapshot); }

 private:
  static bool divides(std::int64_t every, std::int64_t step) { return every > 0 && step % every == 0; }

  std::int64_t energies_every_;
  std::int64_t state_every_;
  Look look_;
};

struct RunResult {
  RunEnd end = RunEnd::finished;
  std::int64_t steps = 0;
  EnergyRow last;
  PairSums pairs;  ///< of the same step
  std::vector<Vec3<double>> force;
  std::vector<EnergyRow> rows;  ///< of the steps that `energies_every` divides
};

inline double largest_difference(const std::vector<Vec3<double>>& a, const std::vector<Vec3<double>>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, norm(a[i] - b[i]));
  return largest;
}

inline bool never_stop() { return false; }

/// Runs the system to the end of the configuration; `look` sees the multiples of look_every.
inline RunResult run_short(System& system, const RunConfig& config, const Method& method = fp64_method(),
                           std::int64_t energies_every = 1, const StepObserver::Look& look = nullptr,
                           const std::function<bool()>& stop = never_stop, std::int64_t look_every = 1) {
  Timings timings;
  StepLoop simulation(system, config, method, timings);
  RunResult result;
  simulation.add_observer(std::make_unique<StepObserver>(energies_every, look ? look_every : 0, [&](const Snapshot& s) {
    if (s.energies != nullptr && energies_every > 0 && s.step % energies_every == 0) result.rows.push_back(*s.energies);
    if (look && s.step % look_every == 0) look(s);
  }));
  result.end = simulation.run(stop);
  result.steps = simulation.step();
  result.last = simulation.energies();
  result.pairs = simulation.pairs();
  result.force = simulation.force();
  return result;
}

}  // namespace dropmd

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/run/method_choice.h"
#include "engine/methods/method.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// How steps are timed.
struct StepBenchPlan {
  /// Of a timed piece; nullopt: as many as take about 0.4 s, at least 10.
  std::optional<std::int64_t> steps{};
  std::int64_t energy_every = 100;  ///< steps between energies; divides `steps`, or is larger
  /// Also time several skins, edges and forms, and the choices of the rule and of a tuner.
  bool tuner = false;
};

/// A timed case: whole steps of the engine's loop, without outputs.
struct StepBenchRow {
  std::size_t n_atoms = 0;
  std::string physics;  ///< "exact": no cutoffs; "cutoff-12": LJ cut, reaction field, 12 Å; "file": as the file says
  Method method;        ///< its neighbor is automatic if the run chose
  bool tuned = false;   ///< whether it chose by measured time, not by rule
  MethodChoice chosen;  ///< the choice of the run, or the method's
  std::string integrator;
  std::int64_t steps = 0;         ///< of a timed piece
  std::int64_t energy_every = 0;  ///< steps between energies: at most `steps`
  double us_per_step = 0;         ///< median of the pieces, wall time
  double fastest_us_per_step = 0;
  double atom_steps_per_s = 0;
  std::optional<double> unique_pairs_per_s{};  ///< all pairs: N(N - 1)/2 per step
  std::optional<double> ns_per_day{};          ///< units real
  double energy_drift_per_step = 0;            ///< (E_end - E_begin)/(|E_begin| steps) over all timed pieces
};

using ShowStepRow = std::function<void(const StepBenchRow&)>;

/// Times both kinds of physics of benchmark droplets (sc lattice of 0.07 atoms/Å³, disorder 0.05 Å, alternating charges
/// ±0.2 e, mass 20 g/mol, LJ ε = 0.2 kcal/mol, r_min = 2.5 Å, 100 K, velocity Verlet with 1 fs) at each size, with
/// every method that the backend and neighbor words of `choices` allow, in both precisions or only in `only`. All pairs
/// of more than 5,000 atoms on the CPU, and of more than 200,000 on a GPU, are omitted unless the neighbor word
/// requests them. `show` receives each row when it is complete.
std::vector<StepBenchRow> bench_steps(const RunConfig& choices, std::optional<Precision> only,
                                      std::span<const std::size_t> sizes, const StepBenchPlan& plan,
                                      const ShowStepRow& show);

/// The same for the run of `config`, in its precision. All pairs on the CPU are omitted only if another method remains.
/// Throws InputError if its minimiser converges before it was timed.
std::vector<StepBenchRow> bench_steps_of_run(const RunConfig& config, const StepBenchPlan& plan,
                                             const ShowStepRow& show);

}  // namespace dropmd

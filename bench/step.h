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
  std::optional<std::int64_t> steps{};  ///< of a timed piece; none: as many as take about 0.4 s, 10 at least
  std::int64_t energy_every = 100;      ///< steps between energies; divides `steps`, or is not smaller
  bool tuner = false;  ///< several skins, edges and forms, and rows of what the rule and a tuner choose
};

/// One timed case: whole steps of the engine's loop, nothing written.
struct StepBenchRow {
  std::size_t n_atoms = 0;
  std::string physics;  ///< "exact": no cutoffs; "cutoff-12": LJ cut, reaction field, 12 Å; "file": as the file says
  Method method;        ///< neighbor: automatic where the run chose
  bool tuned = false;   ///< it chose by time, not by rule
  MethodChoice chosen;  ///< by the run, or the method's
  std::string integrator;
  std::int64_t steps = 0;         ///< of a timed piece
  std::int64_t energy_every = 0;  ///< steps between energies: at most `steps`
  double us_per_step = 0;         ///< median over the pieces, wall time
  double fastest_us_per_step = 0;
  double atom_steps_per_s = 0;
  std::optional<double> unique_pairs_per_s{};  ///< all pairs: N(N - 1)/2 a step
  std::optional<double> ns_per_day{};          ///< units real
  double energy_drift_per_step = 0;            ///< (E_end - E_begin)/(|E_begin| steps) over all timed pieces
};

using ShowStepRow = std::function<void(const StepBenchRow&)>;

/// Times both physics of benchmark droplets (sc lattice of 0.07 atoms/Å³, disorder 0.05 Å, charges ±0.2 e alternating,
/// mass 20 g/mol, LJ ε = 0.2 kcal/mol, r_min = 2.5 Å, 100 K, velocity Verlet with 1 fs) at each size, with every method
/// that the backend and neighbor words of `choices` allow, in both precisions or `only` one. All pairs of more than
/// 5,000 atoms on the CPU, of 200,000 on a GPU, are left out, unless the neighbor word asks for them. `show` sees each
/// row as it is done.
std::vector<StepBenchRow> bench_steps(const RunConfig& choices, std::optional<Precision> only,
                                      std::span<const std::size_t> sizes, const StepBenchPlan& plan,
                                      const ShowStepRow& show);

/// The same for the run that `config` describes, in its precision. All pairs on the CPU are left out only where another
/// method remains. Throws InputError if its minimiser converges before it was timed.
std::vector<StepBenchRow> bench_steps_of_run(const RunConfig& config, const StepBenchPlan& plan,
                                             const ShowStepRow& show);

}  // namespace dropmd

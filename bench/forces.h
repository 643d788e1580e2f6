#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/methods/method.h"
#include "forces/pair/pair_forces.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// One timed case: an evaluation of the pair forces of the benchmark droplet (sc lattice of 0.07 atoms/Å³, disorder
/// 0.05 Å, alternating charges ±0.2 e, LJ ε = 0.2 kcal/mol, r_min = 2.5 Å).
struct ForceBenchRow {
  std::size_t n_atoms = 0;
  std::string physics;  ///< "exact": no cutoffs; "cutoff-12": LJ cut, reaction field, 12 Å
  Method method;
  PairSums sums{};
  double forces_us = 0;               ///< whole evaluation, only forces, median wall time
  double energies_us = 0;             ///< whole evaluation, forces and energies
  std::optional<double> kernel_us{};  ///< device time of only the pair kernel, only forces
  /// Twice the candidate pairs over kernel time if known, else wall time.
  double directed_pairs_per_s = 0;
  double ns_per_pair_within_cutoff = 0;  ///< the same time over pairs within the cutoff
};

/// Times every method that the configuration's backend and neighbor words allow, in both precisions or only in `only`,
/// at each size. CPU all pairs of more than 50,000 atoms are omitted. `show` receives each row when it is complete.
std::vector<ForceBenchRow> bench_forces(const RunConfig& choices, std::optional<Precision> only,
                                        std::span<const std::size_t> sizes,
                                        const std::function<void(const ForceBenchRow&)>& show);

}  // namespace dropmd

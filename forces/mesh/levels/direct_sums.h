#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "core/execution.h"
#include "core/vec3.h"
#include "forces/mesh/smooth_kernel.h"

namespace dropmd {

/// The potential of pairs that are summed directly because a charge is outside of a mesh: the smooth part L, or its
/// excess over that of a split that is wider by a ratio s, L(r) − L(r/s)/s, which vanishes from a range s r_c on.
struct DirectKernel {
  const SmoothKernel* split;                                ///< must outlive the kernel
  double per_ratio = 0;                                     ///< 1/s; 0: L alone
  double range2 = std::numeric_limits<double>::infinity();  ///< square of the range, length²

  bool has_range() const { return per_ratio > 0; }

  template <class Lane>
  SmoothTerm<Lane> operator()(Lane r2) const {
    const SmoothTerm<Lane> all = split->smooth(r2);
    if (!has_range()) return all;
    const double s = per_ratio;
    const SmoothTerm<Lane> wide = split->smooth(r2 * Lane(s * s));
    const auto within = r2 < Lane(range2);
    return {lane_select(within, all.energy - wide.energy * Lane(s), Lane(0)),
            lane_select(within, all.force_over_r - wide.force_over_r * Lane(s * s * s), Lane(0))};
  }
};

/// Sums over all pairs of a target and a source, which are given as indices of charges. Targets and sources are either
/// the same charges, which then meet each other, or have none in common. Adds Σ q_j f(r_ij) r_ij to the fields of both,
/// charge/length², where f is the force over the distance, and returns the sum of the energies q_i q_j u(r_ij) of the
/// pairs. If the kernel has a range, sources beyond it are left out by cells. The result does not depend on the number
/// of threads. position, charge, field: of all charges.
double add_direct_sums(Cpu cpu, const DirectKernel& kernel, std::span<const Vec3<double>> position,
                       std::span<const double> charge, std::span<const std::uint32_t> targets,
                       std::span<const std::uint32_t> sources, bool same, std::span<Vec3<double>> field);

}  // namespace dropmd

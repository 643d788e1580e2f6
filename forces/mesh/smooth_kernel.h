#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/forms/form.h"
#include "core/lanes/simd_lanes.h"
#include "forces/mesh/coulomb_split.h"
#include "forces/pair/coulomb_short_range.h"

namespace dropmd {

/// The smooth part L(r) of a CoulombSplit and its force, for sums over many pairs. With a pair form it is what that
/// form leaves of 1/r; without one it is computed by Chebyshev series in r², to all digits of fp64 and some tens of
/// times faster than by the quadratures of CoulombSplit. Both the potential and the force over the distance are entire
/// functions of r², nearly e^{−cr²/2r_c²}, whose coefficients of degree n beyond c/2 fall faster than any power.
class SmoothKernel {
 public:
  explicit SmoothKernel(const CoulombSplit& split, const std::optional<FormChoice>& pairs = std::nullopt);

  struct Value {
    double potential;     ///< L(r), 1/length
    double force_over_r;  ///< −L'(r)/r, 1/length³
  };

  /// r2: squared distance, length². From the cutoff on the values are those of 1/r.
  Value operator()(double r2) const {
    const SmoothTerm<double> value = smooth(r2);
    return {value.energy, value.force_over_r};
  }
  /// The same for lanes.
  template <class Lane>
  SmoothTerm<Lane> smooth(Lane r2) const {
    const auto inside = r2 < Lane(cutoff2_);
    if (!any(inside)) return of_point(r2);
    if (pairs_) return pairs_->smooth(r2);
    const SmoothTerm<Lane> point = of_point(r2), series = by_series(r2);
    return {lane_select(inside, series.energy, point.energy),
            lane_select(inside, series.force_over_r, point.force_over_r)};
  }

 private:
  static bool any(bool mask) { return mask; }
  template <class T, class Abi>
  static bool any(const stdx::simd_mask<T, Abi>& mask) {
    return stdx::any_of(mask);
  }
  template <class Lane>
  static SmoothTerm<Lane> of_point(Lane r2) {
    const Lane r_inv = lane_rsqrt(r2);
    return {r_inv, r_inv * r_inv * r_inv};
  }
  /// Clenshaw's recurrence for both series at once.
  template <class Lane>
  SmoothTerm<Lane> by_series(Lane r2) const {
    const Lane x = r2 * Lane(2 / cutoff2_) - Lane(1), twice = x + x;
    Lane p1(0), p2(0), f1(0), f2(0);
    for (std::size_t k = potential_.size() - 1; k > 0; --k) {
      const Lane p = Lane(potential_[k]) + twice * p1 - p2, f = Lane(force_over_r_[k]) + twice * f1 - f2;
      p2 = p1, p1 = p;
      f2 = f1, f1 = f;
    }
    return {Lane(potential_[0]) + x * p1 - p2, Lane(force_over_r_[0]) + x * f1 - f2};
  }

  double cutoff2_;
  std::optional<CoulombShortRange<double>> pairs_;
  std::vector<double> potential_, force_over_r_;  ///< coefficients of T₀, T₁, ... in 2r²/r_c² − 1
};

}  // namespace dropmd

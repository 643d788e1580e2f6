#pragma once

#include "core/macros.h"
#include "forces/pair/coulomb_short_range.h"

namespace dropmd {

/// The potential of pairs that are summed directly on a GPU because a charge is outside of a mesh: the smooth part L of
/// the Coulomb potential; or, if a coarse mesh has both charges, its excess over that of a split that is wider by a
/// ratio s, L(r) − L(r/s)/s, which vanishes from the range s r_c on.
template <class Real>
struct OutsideForm {
  CoulombShortRange<Real> form;
  Real per_ratio = 0;  ///< 1/s; 0: there is no coarse mesh
  Real range2 = 0;     ///< square of the range, length²

  /// Returns L. Beyond the cutoff, where most pairs are, no polynomial is computed.
  DROPMD_HOST_DEVICE SmoothTerm<Real> smooth(Real r2) const {
    if (r2 < form.cutoff2) return form.smooth(r2);
    const Real r_inv = lane_rsqrt(r2);
    return {r_inv, r_inv * r_inv * r_inv};
  }

  /// Returns L(r) − L(r/s)/s.
  DROPMD_HOST_DEVICE SmoothTerm<Real> beyond_coarse(Real r2) const {
    const SmoothTerm<Real> all = smooth(r2), wide = form.smooth(r2 * (per_ratio * per_ratio));
    const bool in_range = r2 < range2;
    return {in_range ? all.energy - wide.energy * per_ratio : 0,
            in_range ? all.force_over_r - wide.force_over_r * (per_ratio * per_ratio * per_ratio) : 0};
  }
};

}  // namespace dropmd

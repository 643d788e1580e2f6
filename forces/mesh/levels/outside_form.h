#pragma once

#include "core/macros.h"
#include "forces/pair/coulomb_short_range.h"

namespace dropmd {

/// What pairs of which a charge is outside of a mesh contribute directly: the smooth part L of the Coulomb potential.
struct OutsideForm {
  CoulombShortRange<double> form;

  /// Returns L. Beyond the cutoff, where most pairs are, no polynomial is computed.
  DROPMD_HOST_DEVICE SmoothTerm<double> smooth(double r2) const {
    if (r2 < form.cutoff2) return form.smooth(r2);
    const double r_inv = lane_rsqrt(r2);
    return {r_inv, r_inv * r_inv * r_inv};
  }
};

}  // namespace dropmd

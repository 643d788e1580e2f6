#pragma once

#include <cmath>
#include <limits>

#include "core/forms/form.h"
#include "forces/pair/coulomb_plain.h"
#include "forces/pair/pair_term.h"

namespace dropmd {

/// The smoothing of the University of Illinois' lecture on cutoff summation (docs/maps.md; terms per k_e q_i q_j, zero
/// from r_c on):
///
///   U(r) = u²/r,   r·F = u (4 − 3u)/r,   u = max(1 − r²/r_c², 0)
///
/// u needs no comparison with the cutoff.
template <class Real>
struct CoulombShift {
  static constexpr bool kAllowsNoCutoff = false;
  static constexpr bool kEndsAtCutoff = true;  ///< the term vanishes beyond the cutoff by itself
  static FormList forms() { return {{"shift", {kCoulombCutoffKey}, "(1 - r^2/r_c^2)^2 / r"}}; }

  Real minus_inverse_cutoff2, cutoff2;

  explicit CoulombShift(const FormChoice& choice) {
    cutoff2 = static_cast<Real>(choice.at("cutoff") * choice.at("cutoff"));
    minus_inverse_cutoff2 = -1 / cutoff2;
    // Rounded away from zero, so that u is 0 at the cutoff itself.
    while (std::fma(minus_inverse_cutoff2, cutoff2, Real(1)) > 0)
      minus_inverse_cutoff2 = std::nextafter(minus_inverse_cutoff2, -std::numeric_limits<Real>::infinity());
  }

  template <bool kCutoff, class Lane>
  DROPMD_HOST_DEVICE PairTerm<Lane> operator()(const Distance<Lane>& d) const {
    const Lane u = lane_ramp(lane_fma(d.r2, Lane(minus_inverse_cutoff2), Lane(1)));
    const Lane u_r = d.r_inv * u;
    return {u_r * u, u_r * lane_fma(u, Lane(-3), Lane(4))};
  }
};

}  // namespace dropmd

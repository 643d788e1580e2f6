#pragma once

#include "core/form.h"
#include "forces/coulomb_plain.h"
#include "forces/pair_term.h"

namespace dropmd {

/// The smoothing of the cutoff-summation lecture (terms per k_e q_i q_j, zero from r_c on):
///
///   U(r) = (1 − r²/r_c²)²/r = (1 + p1 r² + p2 r⁴)/r,   p1 = −2/r_c², p2 = 1/r_c⁴
///
/// as computed: r·F = (1 − p1 r² − 3 p2 r⁴)/r
template <class Real>
struct CoulombShift {
  static constexpr bool kAllowsNoCutoff = false;
  static FormList forms() { return {{"shift", {kCoulombCutoffKey}, "(1 - r^2/r_c^2)^2 / r"}}; }

  Real p1, p2, cutoff2;

  explicit CoulombShift(const FormChoice& choice) {
    const double c2 = choice.at("cutoff") * choice.at("cutoff");
    p1 = static_cast<Real>(-2.0 / c2);
    p2 = static_cast<Real>(1.0 / (c2 * c2));
    cutoff2 = static_cast<Real>(c2);
  }

  template <bool kCutoff, class Lane>
  DROPMD_HOST_DEVICE PairTerm<Lane> operator()(const Distance<Lane>& d) const {
    const Lane energy = d.r_inv * lane_fma(d.r2, lane_fma(d.r2, Lane(p2), Lane(p1)), Lane(1));
    const Lane virial = d.r_inv * lane_fma(d.r2, lane_fma(d.r2, Lane(-3 * p2), Lane(-p1)), Lane(1));
    return within<kCutoff>(PairTerm<Lane>{energy, virial}, d.r2, cutoff2);
  }
};

}  // namespace dropmd

#pragma once

#include <cmath>

#include "core/forms/form.h"
#include "forces/pair/coulomb_plain.h"
#include "forces/pair/pair_term.h"

namespace dropmd {

/// 1/r plus an even polynomial (terms per k_e q_i q_j, zero from r_c on):
///
///   U(r) = 1/r + q0 + q1 r² + q2 r⁴
///
///   smoothed        1/r − (15/8 − (5/4)(r/r_c)² + (3/8)(r/r_c)⁴)/r_c        short range of multilevel summation
///   reaction-field  1/r + k_rf r² − c_rf,  k_rf = (ε_rf − 1)/((2ε_rf + 1) r_c³),  c_rf = 1/r_c + k_rf r_c²
///
/// as computed: r·F = 1/r + r² (−2 q1 − 4 q2 r²)
template <class Real>
struct CoulombEven {
  static constexpr bool kAllowsNoCutoff = false, kEndsAtCutoff = false;
  static FormList forms() {
    return {{"smoothed", {kCoulombCutoffKey}, "1/r less an even polynomial, smooth at the cutoff"},
            {"reaction-field",
             {kCoulombCutoffKey,
              {"dielectric", "1", Range::positive, /*infinity_allowed=*/true, /*required=*/false, 1.0, 1.0}},
             "dielectric continuum beyond the cutoff"}};
  }

  Real q0 = 0, q1 = 0, q2 = 0, cutoff2;

  explicit CoulombEven(const FormChoice& choice) {
    const double r_c = choice.at("cutoff");
    const double c2 = r_c * r_c;
    cutoff2 = static_cast<Real>(c2);
    if (choice.form == "smoothed") {
      q0 = static_cast<Real>(-1.875 / r_c);
      q1 = static_cast<Real>(1.25 / (r_c * c2));
      q2 = static_cast<Real>(-0.375 / (r_c * c2 * c2));
    } else {
      const double dielectric = choice.at("dielectric");
      const double k = (std::isinf(dielectric) ? 0.5 : (dielectric - 1.0) / (2.0 * dielectric + 1.0)) / (r_c * c2);
      q0 = static_cast<Real>(-(1.0 / r_c + k * c2));
      q1 = static_cast<Real>(k);
    }
  }

  template <bool kCutoff, class Lane>
  DROPMD_HOST_DEVICE PairTerm<Lane> operator()(const Distance<Lane>& d) const {
    const Lane even = lane_fma(d.r2, lane_fma(d.r2, Lane(q2), Lane(q1)), Lane(q0));
    const Lane virial = lane_fma(d.r2, lane_fma(d.r2, Lane(-4 * q2), Lane(-2 * q1)), d.r_inv);
    return within<kCutoff>(PairTerm<Lane>{d.r_inv + even, virial}, d.r2, cutoff2);
  }
};

}  // namespace dropmd

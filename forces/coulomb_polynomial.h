#pragma once

#include <cmath>

#include "core/form.h"
#include "forces/coulomb_plain.h"
#include "forces/pair_term.h"

namespace dropmd {

/// Coulomb forms that are polynomials in r² beside and times 1/r (terms per k_e q_i q_j, zero from r_c on):
///
///   U(r) = P(r²)/r + Q(r²),   P = 1 + p1 r² + p2 r⁴,   Q = q0 + q1 r² + q2 r⁴
///
///   shift           (1 − r²/r_c²)²/r                                        smoothed cutoff summation
///   smoothed        1/r − (15/8 − (5/4)(r/r_c)² + (3/8)(r/r_c)⁴)/r_c        short range of multilevel summation
///   reaction-field  1/r + k_rf r² − c_rf,  k_rf = (ε_rf − 1)/((2ε_rf + 1) r_c³),  c_rf = 1/r_c + k_rf r_c²
///
/// as computed: r·F = P/r − 2r²(P'/r + Q'), primes with respect to r²
///                  = (1 − p1 r² − 3 p2 r⁴)/r − 2 q1 r² − 4 q2 r⁴
template <class Real>
struct CoulombPolynomial {
  static constexpr bool kAllowsNoCutoff = false;
  static FormList forms() {
    return {{"shift", {kCoulombCutoffKey}, "(1 - r^2/r_c^2)^2 / r"},
            {"smoothed", {kCoulombCutoffKey}, "1/r less an even polynomial, smooth at the cutoff"},
            {"reaction-field",
             {kCoulombCutoffKey,
              {"dielectric", "1", Range::positive, /*infinity_allowed=*/true, /*required=*/false, 1.0, 1.0}},
             "dielectric continuum beyond the cutoff"}};
  }

  Real p1 = 0, p2 = 0, q0 = 0, q1 = 0, q2 = 0, cutoff2;

  explicit CoulombPolynomial(const FormChoice& choice) {
    const double r_c = choice.at("cutoff");
    const double c2 = r_c * r_c;
    cutoff2 = static_cast<Real>(c2);
    if (choice.form == "shift") {
      p1 = static_cast<Real>(-2.0 / c2);
      p2 = static_cast<Real>(1.0 / (c2 * c2));
    } else if (choice.form == "smoothed") {
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
    const Lane p_over_r = d.r_inv * lane_fma(d.r2, lane_fma(d.r2, Lane(p2), Lane(p1)), Lane(1));
    const Lane q = lane_fma(d.r2, lane_fma(d.r2, Lane(q2), Lane(q1)), Lane(q0));
    const Lane p_force = lane_fma(d.r2, lane_fma(d.r2, Lane(-3 * p2), Lane(-p1)), Lane(1));
    const Lane q_force = d.r2 * lane_fma(d.r2, Lane(-4 * q2), Lane(-2 * q1));
    const Lane virial = lane_fma(p_force, d.r_inv, q_force);
    return within<kCutoff>(PairTerm<Lane>{p_over_r + q, virial}, d.r2, cutoff2);
  }
};

}  // namespace dropmd

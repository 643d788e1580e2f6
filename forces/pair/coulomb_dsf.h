#pragma once

#include <cmath>

#include "core/forms/form.h"
#include "forces/pair/coulomb_plain.h"
#include "forces/pair/pair_term.h"

namespace dropmd {

/// Damped shifted force (Fennell and Gezelter, J. Chem. Phys. 124, 234104, 2006): the pair term, without self-energy.
///
///   U(r) = erfc(αr)/r − erfc(αr_c)/r_c + m (r − r_c),   m = erfc(αr_c)/r_c² + (2α/√π) exp(−α²r_c²)/r_c
///
/// as computed (per k_e q_i q_j): r·F = erfc(αr)/r + (2α/√π) exp(−α²r²) − m r
template <class Real>
struct CoulombDsf {
  static constexpr bool kAllowsNoCutoff = false;
  static constexpr bool kLongCode = true;
  static FormList forms() {
    return {{"dsf", {kCoulombCutoffKey, {"damping", "1/length", Range::not_negative}}, "damped shifted force"}};
  }

  Real cutoff2, alpha, gauss, slope, constant;

  explicit CoulombDsf(const FormChoice& choice) {
    constexpr double kTwoOverSqrtPi = 1.1283791670955126;
    const double r_c = choice.at("cutoff");
    const double a = choice.at("damping");
    const double m = std::erfc(a * r_c) / (r_c * r_c) + kTwoOverSqrtPi * a * std::exp(-a * a * r_c * r_c) / r_c;
    cutoff2 = static_cast<Real>(r_c * r_c);
    alpha = static_cast<Real>(a);
    gauss = static_cast<Real>(kTwoOverSqrtPi * a);
    slope = static_cast<Real>(m);
    constant = static_cast<Real>(-std::erfc(a * r_c) / r_c - m * r_c);
  }

  template <bool kCutoff, class Lane>
  DROPMD_HOST_DEVICE PairTerm<Lane> operator()(const Distance<Lane>& d) const {
    const Lane r = d.r();
    const Lane ar = Lane(alpha) * r;
    const Lane damped = lane_erfc(ar) * d.r_inv;
    const Lane linear = Lane(slope) * r;
    const Lane virial = lane_fma(Lane(gauss), lane_exp(-ar * ar), damped) - linear;
    return within<kCutoff>(PairTerm<Lane>{damped + (Lane(constant) + linear), virial}, d.r2, cutoff2);
  }
};

}  // namespace dropmd

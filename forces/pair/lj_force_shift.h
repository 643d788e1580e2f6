#pragma once

#include "forces/pair/lj_coefficients.h"

namespace dropmd {

/// Lennard-Jones with energy and force vanishing at the cutoff:
///
///   U(r) = U_LJ(r) − U_LJ(r_c) − (r − r_c) U'_LJ(r_c)     r < r_c
///
/// as computed: U = U_LJ + shift + slope·r,  r·F = (r·F)_LJ − slope·r
template <class Real>
struct LjForceShift {
  template <class Lane>
  using Coefficients = LjCoefficients<Lane>;
  static constexpr bool kAllowsNoCutoff = false;
  static FormList forms() {
    return {{"force-shift", {kLjCutoffKey}, "shifted so that energy and force vanish at the cutoff"}};
  }

  Real cutoff2;

  explicit LjForceShift(const FormChoice& choice) : cutoff2(static_cast<Real>(square(choice.at("cutoff")))) {}

  static LjCoefficients<double> coefficients(const FormChoice& choice, const LjParameters& p) {
    const double r_c = choice.at("cutoff");
    auto c = LjCoefficients<double>::unshifted(p);
    c.slope = -lj_derivative(p, r_c);
    c.shift = -lj_energy(p, r_c) - r_c * c.slope;
    return c;
  }

  template <bool kCutoff, class Lane>
  DROPMD_HOST_DEVICE PairTerm<Lane> operator()(const Distance<Lane>& d, const LjCoefficients<Lane>& c) const {
    PairTerm<Lane> term = lj_unshifted(d, c);
    const Lane r = d.r();
    term.energy += lane_fma(c.slope, r, c.shift);
    term.virial = lane_fma(-c.slope, r, term.virial);
    return within<kCutoff>(term, d.r2, cutoff2);
  }
};

}  // namespace dropmd

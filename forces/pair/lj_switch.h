#pragma once

#include "forces/pair/lj_coefficients.h"

namespace dropmd {

/// Lennard-Jones times a switching function between r_on and the cutoff:
///
///   U(r) = U_LJ(r) S(x),  S = 1 − 6x⁵ + 15x⁴ − 10x³,  x = (r − r_on)/(r_c − r_on) clamped to [0, 1]
///
/// as computed: r·F = S (r·F)_LJ + U_LJ · 30 x² (1 − x)² r/(r_c − r_on)
///
/// r − r_on loses the leading digits that r and r_on share, and its error is multiplied by r_c/(r_c − r_on). Therefore
/// r, the product of r² and the rounded 1/r, is corrected by the residual of its square, and r_on has a low-order part;
/// only the rounding of r² remains.
template <class Real>
struct LjSwitch {
  template <class Lane>
  using Coefficients = LjCoefficients<Lane>;
  static constexpr bool kAllowsNoCutoff = false;
  static constexpr bool kLongCode = true;
  static FormList forms() {
    const FormKey from{.name = "switch-from", .unit = "length", .less_than = kLjCutoffKey.name};
    return {{"switch", {kLjCutoffKey, from}, "switched off smoothly from `switch-from` on"}};
  }

  Real cutoff2, r_on, r_on_low, width_inv;

  explicit LjSwitch(const FormChoice& choice)
      : cutoff2(static_cast<Real>(square(choice.at("cutoff")))),
        r_on(static_cast<Real>(choice.at("switch-from"))),
        r_on_low(static_cast<Real>(choice.at("switch-from") - static_cast<double>(r_on))),
        width_inv(static_cast<Real>(1.0 / (choice.at("cutoff") - choice.at("switch-from")))) {}

  static LjCoefficients<double> coefficients(const FormChoice&, const LjParameters& p) {
    return LjCoefficients<double>::unshifted(p);
  }

  template <bool kCutoff, class Lane>
  DROPMD_HOST_DEVICE PairTerm<Lane> operator()(const Distance<Lane>& d, const LjCoefficients<Lane>& c) const {
    const PairTerm<Lane> bare = lj_unshifted(d, c);
    const Lane r = d.r();
    const Lane r_low = lane_fma(-r, r, d.r2) * (Lane(Real(0.5)) * d.r_inv);
    const Lane above = ((r - Lane(r_on)) + (r_low - Lane(r_on_low))) * Lane(width_inv);
    const Lane x = lane_select(above > Lane(0), above, Lane(0));
    const Lane rest = Lane(1) - x;
    const Lane s = lane_fma(-x * x * x, lane_fma(lane_fma(Lane(6), x, Lane(-15)), x, Lane(10)), Lane(1));
    const Lane falling = Lane(30) * x * x * rest * rest * r * Lane(width_inv);
    return within<kCutoff>(PairTerm<Lane>{bare.energy * s, lane_fma(bare.energy, falling, bare.virial * s)}, d.r2,
                           cutoff2);
  }
};

}  // namespace dropmd

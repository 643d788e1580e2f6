#pragma once

#include <limits>

#include "core/forms/form.h"
#include "core/lanes/lane_exp2.h"
#include "forces/pair/born_mayer_parameters.h"
#include "forces/pair/lj_coefficients.h"
#include "forces/pair/pair_term.h"

namespace dropmd {

/// Coefficients of one pair of species as kernels use them.
template <class Lane>
struct BornMayerCoefficients {
  Lane repulsion{};  ///< A exp(σ/ρ)
  Lane decay{};      ///< 1/(ρ ln 2)
  Lane decay_low{};  ///< the low-order part of decay
  Lane c6{};         ///< C
  Lane c8{};         ///< D
  Lane shift{};      ///< energy added inside the cutoff
  Lane slope{};      ///< energy per length added inside the cutoff
  Lane barrier2{};   ///< squared distance below which the pair would collapse

  /// Returns coefficients in which each member is of(pointer to the same member of BornMayerCoefficients<Source>).
  template <class Source, class Of>
  static BornMayerCoefficients made(const Of& of) {
    using S = BornMayerCoefficients<Source>;
    return {of(&S::repulsion), of(&S::decay), of(&S::decay_low), of(&S::c6),
            of(&S::c8),        of(&S::shift), of(&S::slope),     of(&S::barrier2)};
  }
};

/// Returns the bare term, without cutoff, shift and barrier.
template <class Lane>
DROPMD_HOST_DEVICE inline PairTerm<Lane> born_mayer_unshifted(const Distance<Lane>& d,
                                                              const BornMayerCoefficients<Lane>& c) {
  using Real = LaneReal<Lane>;
  constexpr auto kLn2 = Real(0.6931471805599453);
  const Lane r = d.r();
  const Lane r_low = lane_fma(-r, r, d.r2) * (Lane(Real(0.5)) * d.r_inv);
  const Lane x = c.decay * r;
  const Lane x_low = lane_fma(c.decay, r, -x) + lane_fma(c.decay, r_low, c.decay_low * r);
  const Lane repulsion = c.repulsion * lane_exp2(-x, -x_low);
  const Lane s = d.r2_inv * d.r2_inv * d.r2_inv, c8 = c.c8 * d.r2_inv;
  return {repulsion - (c.c6 + c8) * s,
          lane_fma(Lane(kLn2) * x, repulsion, -lane_fma(Lane(Real(6)), c.c6, Lane(Real(8)) * c8) * s)};
}

/// Returns the energy of the bare term.
inline double bare_energy(const Distance<double>& d, const BornMayerCoefficients<double>& c) {
  return born_mayer_unshifted(d, c).energy;
}

/// The Born-Mayer-Huggins term with any treatment at the cutoff (M. L. Huggins, J. E. Mayer, J. Chem. Phys. 1, 643,
/// 1933; for alkali halides F. G. Fumi, M. P. Tosi, J. Phys. Chem. Solids 25, 31, 1964, and M. P. Tosi, F. G. Fumi,
/// ibid. 25, 45):
///
///   U(r) = A exp((σ − r)/ρ) − C/r⁶ − D/r⁸ + {0 | −U(r_c) | −U(r_c) − (r − r_c) U'(r_c)}     r < r_c
///
/// as computed, with k = 1/(ρ ln 2) and B = A exp(σ/ρ):
///
///   R = B 2^(−k r),  U = R − (C + D/r²)/r⁶ + shift + slope·r,  r·F = (k r ln 2) R − (6C + 8D/r²)/r⁶ − slope·r
///
/// Below the barrier (BornMayerParameters) both are NaN, so that the checks for finite forces end the run. The term is
/// general rather than fast: one struct serves all treatments, which differ in their coefficients.
///
/// k r is about 13 in contact, and each of its rounding errors would be amplified by as much in R. Therefore r, the
/// product of r² and the rounded 1/r, is corrected by the residual of its square, and both the product and k have a
/// low-order part.
template <class Real>
struct BornMayer {
  template <class Lane>
  using Coefficients = BornMayerCoefficients<Lane>;
  static constexpr bool kAllowsNoCutoff = true;
  static FormList forms() {
    return {{"none", {}, "no cutoff"},
            {"cut", {kLjCutoffKey}, "zero from the cutoff on"},
            {"shift", {kLjCutoffKey}, "cut, and shifted to zero energy at the cutoff"},
            {"force-shift", {kLjCutoffKey}, "shifted so that energy and force vanish at the cutoff"}};
  }

  Real cutoff2;

  explicit BornMayer(const FormChoice& choice)
      : cutoff2(static_cast<Real>(square(choice.value_or("cutoff", std::numeric_limits<double>::infinity())))) {}

  static BornMayerCoefficients<double> coefficients(const FormChoice& choice, const BornMayerParameters& p) {
    constexpr double kLn2 = 0.6931471805599453;
    BornMayerCoefficients<double> c;
    c.repulsion = p.repulsion(0);
    c.decay = 1 / (p.rho * kLn2);
    c.c6 = p.c;
    c.c8 = p.d;
    c.barrier2 = square(p.barrier);
    if (choice.form == "force-shift") c.slope = -p.derivative(choice.at("cutoff"));
    if (choice.form == "shift" || choice.form == "force-shift")
      c.shift = -p.energy(choice.at("cutoff")) - choice.at("cutoff") * c.slope;
    return c;
  }

  template <bool kCutoff, class Lane>
  DROPMD_HOST_DEVICE PairTerm<Lane> operator()(const Distance<Lane>& d, const BornMayerCoefficients<Lane>& c) const {
    const Lane r = d.r();
    PairTerm<Lane> term = born_mayer_unshifted(d, c);
    term.energy += lane_fma(c.slope, r, c.shift);
    term.virial = lane_fma(-c.slope, r, term.virial);
    const auto collapses = d.r2 < c.barrier2;
    const Lane no_number(std::numeric_limits<Real>::quiet_NaN());
    term = {lane_select(collapses, no_number, term.energy), lane_select(collapses, no_number, term.virial)};
    return within<kCutoff>(term, d.r2, cutoff2);
  }
};

}  // namespace dropmd

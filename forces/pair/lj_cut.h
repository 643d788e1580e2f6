#pragma once

#include <limits>

#include "core/forms/form.h"
#include "forces/pair/lj_coefficients.h"
#include "forces/pair/pair_term.h"

namespace dropmd {

/// Lennard-Jones without cutoff, cut, or cut and shifted:
///
///   U(r) = ε[(r_min/r)¹² − 2 (r_min/r)⁶] − {0 | U(r_c)}     r < r_c
///
/// as computed, with s = 1/r⁶, f12 = 12 ε r_min¹², f6 = 12 ε r_min⁶:
///
///   r·F = (f12 s − f6) s,   U = (f12 s/12 − f6/6) s + shift
template <class Real>
struct LjCut {
  template <class Lane>
  using Coefficients = LjCoefficients<Lane>;
  static constexpr bool kAllowsNoCutoff = true;
  static FormList forms() {
    return {{"none", {}, "no cutoff"},
            {"cut", {kLjCutoffKey}, "zero from the cutoff on"},
            {"shift", {kLjCutoffKey}, "cut, and shifted to zero energy at the cutoff"}};
  }

  Real cutoff2;

  explicit LjCut(const FormChoice& choice)
      : cutoff2(static_cast<Real>(square(choice.value_or("cutoff", std::numeric_limits<double>::infinity())))) {}

  static LjCoefficients<double> coefficients(const FormChoice& choice, const LjParameters& p) {
    auto c = LjCoefficients<double>::unshifted(p);
    if (choice.form == "shift") c.shift = -lj_energy(p, choice.at("cutoff"));
    return c;
  }

  template <bool kCutoff, class Lane>
  DROPMD_HOST_DEVICE PairTerm<Lane> operator()(const Distance<Lane>& d, const LjCoefficients<Lane>& c) const {
    PairTerm<Lane> term = lj_unshifted(d, c);
    term.energy += c.shift;
    return within<kCutoff>(term, d.r2, cutoff2);
  }
};

}  // namespace dropmd

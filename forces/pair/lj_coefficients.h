#pragma once

#include <cmath>

#include "core/forms/form.h"
#include "core/lj_parameters.h"
#include "forces/pair/pair_term.h"

namespace dropmd {

/// Coefficients of one pair of species as kernels use them; the comment above each treatment defines their use.
template <class Lane>
struct LjCoefficients {
  Lane f12{};    ///< 12 ε r_min¹² = 48 ε σ¹²
  Lane f6{};     ///< 12 ε r_min⁶ = 24 ε σ⁶
  Lane shift{};  ///< energy added inside the cutoff
  Lane slope{};  ///< energy per length added inside the cutoff

  friend bool operator==(const LjCoefficients&, const LjCoefficients&) = default;

  /// Returns the coefficients of the bare term.
  static LjCoefficients<double> unshifted(const LjParameters& p) {
    const double s6 = std::pow(p.sigma, 6);
    return {48.0 * p.epsilon * s6 * s6, p.attracts ? 24.0 * p.epsilon * s6 : 0.0, 0.0, 0.0};
  }

  /// Returns coefficients in which each member is of(pointer to the same member of LjCoefficients<Source>).
  template <class Source, class Of>
  static LjCoefficients made(const Of& of) {
    using S = LjCoefficients<Source>;
    return {of(&S::f12), of(&S::f6), of(&S::shift), of(&S::slope)};
  }
};

/// The key `cutoff` of Lennard-Jones forms.
inline constexpr FormKey kLjCutoffKey{"cutoff", "length"};

/// Returns x².
inline double square(double x) { return x * x; }

/// U(r) without cutoff, for constants at the cutoff.
inline double lj_energy(const LjParameters& p, double r) {
  const double s6 = std::pow(p.sigma / r, 6);
  return 4.0 * p.epsilon * (s6 * s6 - (p.attracts ? s6 : 0.0));
}

/// dU/dr without cutoff.
inline double lj_derivative(const LjParameters& p, double r) {
  const double s6 = std::pow(p.sigma / r, 6);
  return -24.0 * p.epsilon * (2.0 * s6 * s6 - (p.attracts ? s6 : 0.0)) / r;
}

/// Returns the bare Lennard-Jones term, without cutoff and shift.
template <class Lane>
DROPMD_HOST_DEVICE inline PairTerm<Lane> lj_unshifted(const Distance<Lane>& d, const LjCoefficients<Lane>& c) {
  using Real = LaneReal<Lane>;
  const Lane s = d.r2_inv * d.r2_inv * d.r2_inv;
  const Lane energy = lane_fma(c.f12 * Lane(Real(1.0 / 12.0)), s, -c.f6 * Lane(Real(1.0 / 6.0))) * s;
  return {energy, lane_fma(c.f12, s, -c.f6) * s};
}

/// Returns the energy of the bare term.
inline double bare_energy(const Distance<double>& d, const LjCoefficients<double>& c) {
  return lj_unshifted(d, c).energy;
}

}  // namespace dropmd

#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "core/forms/form.h"
#include "forces/pair/coulomb_plain.h"
#include "forces/pair/pair_term.h"

namespace dropmd {

/// Returns the key of a coefficient of CoulombShortRange.
inline std::string short_range_coefficient(std::size_t k) { return "coefficient-" + std::to_string(k); }

/// The smooth part of a split Coulomb potential, per k_e q_i q_j: its energy L and its force over the distance, −L'/r.
template <class Lane>
struct SmoothTerm {
  Lane energy;
  Lane force_over_r;
};

/// The short-range part of a split Coulomb potential, of which a mesh computes the smooth part L (terms per k_e q_i
/// q_j, zero from r_c on):
///
///   U(r) = 1/r − L(r),   r·F = 1/r − r² g(r²),   g(r²) ≈ −L'(r)/r
///
/// as computed, with w = 1 − r²/r_c² and the coefficients a_k of forces/mesh/split_polynomial.h:
///
///   g = Σ_k a_k wᵏ / r_c³,   L = 1/r_c + w Σ_k a_k wᵏ / (2 (k + 1) r_c)
///
/// The pair energy is 0 at r_c and its derivative is the force, to rounding. The force ends with a jump of the size of
/// the split's error (CoulombSplit), so a comparison with the cutoff is needed. No user chooses this form:
/// short_range_choice() makes it for a run that has a mesh.
template <class Real>
struct CoulombShortRange {
  static constexpr bool kAllowsNoCutoff = false, kEndsAtCutoff = false;
  /// In fp32 every degree costs the same: the coefficients are constants of the kernel, which a loop of variable length
  /// would have to load, and with the degree as a template parameter every fast kernel would be compiled once per
  /// degree. 9 is enough for an accuracy of 1e-5, the best of mixed precision, and 20 for 1e-10.
  static constexpr bool kFixedDegree = std::is_same_v<Real, float>;
  static constexpr int kMostDegree = kFixedDegree ? 9 : 20;
  static FormList forms() {
    return {{"short-range", {kCoulombCutoffKey, {"degree", "1"}}, "short-range part of the split Coulomb potential"}};
  }

  Real cutoff2, minus_inverse_cutoff2;
  int degree;                         ///< of g
  Real force[kMostDegree + 1] = {};   ///< of powers of w, in g
  Real energy[kMostDegree + 2] = {};  ///< of powers of w, in L

  /// Throws std::invalid_argument for a degree above kMostDegree.
  explicit CoulombShortRange(const FormChoice& choice) : degree(static_cast<int>(choice.at("degree"))) {
    if (degree < 0 || degree > kMostDegree) throw std::invalid_argument("no Coulomb polynomial of this degree");
    const double r_c = choice.at("cutoff");
    cutoff2 = static_cast<Real>(r_c * r_c);
    minus_inverse_cutoff2 = static_cast<Real>(-1 / (r_c * r_c));
    energy[0] = static_cast<Real>(1 / r_c);
    for (int k = 0; k <= degree; ++k) {
      const double a = choice.at(short_range_coefficient(static_cast<std::size_t>(k)));
      force[k] = static_cast<Real>(a / (r_c * r_c * r_c));
      energy[k + 1] = static_cast<Real>(a / (2 * (k + 1) * r_c));
    }
  }

  template <bool kCutoff, class Lane>
  DROPMD_HOST_DEVICE PairTerm<Lane> operator()(const Distance<Lane>& d) const {
    const Lane w = lane_fma(d.r2, Lane(minus_inverse_cutoff2), Lane(1));
    return within<kCutoff>(PairTerm<Lane>{d.r_inv - smooth_energy(w), lane_fma(-d.r2, smooth_force(w), d.r_inv)}, d.r2,
                           cutoff2);
  }

  /// Returns the smooth part alone, from the same polynomial: a mesh also adds it for excluded pairs, for which it must
  /// then be subtracted. It is regular at r = 0; from the cutoff on it is that of point charges.
  template <class Lane>
  DROPMD_HOST_DEVICE SmoothTerm<Lane> smooth(Lane r2) const {
    const Lane w = lane_fma(r2, Lane(minus_inverse_cutoff2), Lane(1));
    const Lane r_inv = lane_rsqrt(r2);
    const auto inside = r2 < Lane(cutoff2);
    return {lane_select(inside, smooth_energy(w), r_inv), lane_select(inside, smooth_force(w), r_inv * r_inv * r_inv)};
  }

 private:
  /// L.
  template <class Lane>
  DROPMD_HOST_DEVICE Lane smooth_energy(Lane w) const {
    return polynomial(energy, kFixedDegree ? kMostDegree + 1 : degree + 1, w);
  }
  /// g.
  template <class Lane>
  DROPMD_HOST_DEVICE Lane smooth_force(Lane w) const {
    return polynomial(force, kFixedDegree ? kMostDegree : degree, w);
  }

  /// Σ_k a_k wᵏ by Horner's scheme.
  template <class Lane>
  static DROPMD_HOST_DEVICE Lane polynomial(const Real* a, int degree, Lane w) {
    Lane sum(a[degree]);
    for (int k = degree; k-- > 0;) sum = lane_fma(sum, w, Lane(a[k]));
    return sum;
  }
};

}  // namespace dropmd

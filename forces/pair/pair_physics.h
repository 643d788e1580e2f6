#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "forces/pair/lj_coefficients.h"
#include "forces/pair/pair_term.h"
#include "forces/pair/term_of_form.h"

namespace dropmd {

/// Stands for the absence of a van der Waals term.
template <class Real>
struct LjOff {
  template <class Lane>
  using Coefficients = LjCoefficients<Lane>;
  static constexpr bool kAllowsNoCutoff = true;
};

/// Stands for the absence of a Coulomb term.
template <class Real>
struct CoulombOff {
  static constexpr bool kAllowsNoCutoff = true;
};

/// The contribution of a pair: the force on atom i is force_over_r · (r_i − r_j).
template <class Lane>
struct PairResult {
  Lane force_over_r;
  Lane vdw;
  Lane coulomb;
};

/// What the terms of a pair are computed from: the squared distance, the coefficients of the two species, k_e q_i q_j.
template <class Lane, class Coefficients>
struct PairArguments {
  Lane r2;
  Coefficients coefficients;
  Lane qq;
};

/// Where the terms of a pair end: nowhere (no comparison is compiled), both at one distance, or each at its own
/// distance.
enum class Limits : std::uint8_t { none, shared, separate };

/// Whether a term's form is chosen at run time (any_form.h).
template <class Term>
inline constexpr bool kHasManyForms = requires {
  requires Term::kManyForms;
};

/// A van der Waals and a Coulomb term that share one reciprocal square root.
template <class VdwTerm, class CoulombTerm, Limits kLimitsOfTerms>
struct PairPhysics {
  static constexpr Limits kLimits = kLimitsOfTerms;
  static constexpr bool kEachEnds = kLimits == Limits::separate;
  /// Whether the code of a pair includes that of several forms, so that loops over pairs should stay short.
  static constexpr bool kManyForms = kHasManyForms<VdwTerm> || kHasManyForms<CoulombTerm>;
  /// The van der Waals term's coefficients of a pair of species.
  template <class Lane>
  using Coefficients = typename VdwTerm::template Coefficients<Lane>;

  VdwTerm vdw;
  CoulombTerm coulomb;

  /// Returns forces and energies of a pair. r2: squared distance; c: coefficients of the two species; qq: k_e q_i q_j.
  template <class Lane>
  DROPMD_HOST_DEVICE PairResult<Lane> operator()(Lane r2, const Coefficients<Lane>& c, Lane qq) const {
    return at(
        Distance<Lane>::from_square(r2), true, [&]() -> const Coefficients<Lane>& { return c; }, qq);
  }

  /// The same where the van der Waals term may be known to be zero. has_vdw: whether it is computed. coefficients():
  /// returns those of the two species; called only if has_vdw.
  template <class Lane, class CoefficientsOfPair>
  DROPMD_HOST_DEVICE PairResult<Lane> operator()(Lane r2, bool has_vdw, const CoefficientsOfPair& coefficients,
                                                 Lane qq) const {
    return at(Distance<Lane>::from_square(r2), has_vdw, coefficients, qq);
  }

  /// Returns the forces of several pairs over their distances, bitwise identical to the call for one pair: forms that
  /// are chosen at run time are looked up once for all of them. arguments_of(k): what the call for one pair takes.
  /// kWithVdw: number of pairs, the first ones, that may have a van der Waals term; the coefficients of the others do
  /// not matter.
  template <int kPairs, int kWithVdw = kPairs, class Lane, class ArgumentsOf>
  DROPMD_HOST_DEVICE void forces_over_r(const ArgumentsOf& arguments_of, Lane (&force_over_r)[kPairs]) const {
    static_assert(kEachEnds);
    Distance<Lane> d[kPairs];
    Coefficients<Lane> c[kPairs];
    Lane qq[kPairs];
    const auto for_each_pair = [](const auto& use) {
      [&]<int... k>(std::integer_sequence<int, k...>) { (use(k), ...); }
      (std::make_integer_sequence<int, kPairs>{});
    };
    for_each_pair([&](int k) {
      const PairArguments<Lane, Coefficients<Lane>> of = arguments_of(k);
      d[k] = Distance<Lane>::from_square(of.r2), c[k] = of.coefficients, qq[k] = of.qq;
      force_over_r[k] = Lane(0);
    });
    if constexpr (kWithVdw > 0)
      with_form_of(vdw, [&](const auto& form) {
        for_each_pair([&](int k) {
          if (k < kWithVdw) force_over_r[k] = term_of_form<kEachEnds>(form, d[k], c[k]).virial;
        });
      });
    with_form_of(coulomb, [&](const auto& form) {
      for_each_pair([&](int k) {
        force_over_r[k] = lane_fma(qq[k], term_of_form<kEachEnds>(form, d[k]).virial, force_over_r[k]);
      });
    });
    for_each_pair([&](int k) { force_over_r[k] *= d[k].r2_inv; });
  }

  /// The same where only the energies count: it keeps the error bound of energies even for a single pair in hard
  /// contact.
  template <class Lane>
  DROPMD_HOST_DEVICE PairResult<Lane> for_energies(Lane r2, const Coefficients<Lane>& c, Lane qq) const {
    return for_energies(
        r2, true, [&]() -> const Coefficients<Lane>& { return c; }, qq);
  }
  template <class Lane, class CoefficientsOfPair>
  DROPMD_HOST_DEVICE PairResult<Lane> for_energies(Lane r2, bool has_vdw, const CoefficientsOfPair& coefficients,
                                                   Lane qq) const {
    return at(Distance<Lane>::precise_from_square(r2), has_vdw, coefficients, qq);
  }

 private:
  template <class Term, class Use>
  static DROPMD_HOST_DEVICE void with_form_of(const Term& term, const Use& use) {
    if constexpr (kHasManyForms<Term>)
      term.visit(use);
    else
      use(term);
  }

  template <class Lane, class CoefficientsOfPair>
  DROPMD_HOST_DEVICE PairResult<Lane> at(const Distance<Lane>& d, bool has_vdw, const CoefficientsOfPair& coefficients,
                                         Lane qq) const {
    using Real = LaneReal<Lane>;
    PairResult<Lane> result{Lane(0), Lane(0), Lane(0)};
    if constexpr (!std::is_same_v<VdwTerm, LjOff<Real>>)
      if (has_vdw) {
        const PairTerm<Lane> term = vdw.template operator()<kEachEnds>(d, coefficients());
        result.vdw = term.energy;
        result.force_over_r = term.virial;
      }
    if constexpr (!std::is_same_v<CoulombTerm, CoulombOff<Real>>) {
      const PairTerm<Lane> term = coulomb.template operator()<kEachEnds>(d);
      result.coulomb = qq * term.energy;
      result.force_over_r = lane_fma(qq, term.virial, result.force_over_r);
    }
    result.force_over_r *= d.r2_inv;
    if constexpr (kLimits == Limits::shared) {
      const auto inside = d.r2 < Lane(shared_cutoff2());
      result = {lane_select(inside, result.force_over_r, Lane(0)), lane_select(inside, result.vdw, Lane(0)),
                lane_select(inside, result.coulomb, Lane(0))};
    }
    return result;
  }

  DROPMD_HOST_DEVICE auto shared_cutoff2() const {
    if constexpr (requires { vdw.cutoff2; })
      return vdw.cutoff2;
    else
      return coulomb.cutoff2;
  }
};

/// The coefficients of a PairPhysics.
template <class Physics, class Lane>
using CoefficientsOf = typename Physics::template Coefficients<Lane>;

}  // namespace dropmd

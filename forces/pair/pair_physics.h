#pragma once

#include <cstdint>
#include <type_traits>

#include "forces/pair/lj_coefficients.h"
#include "forces/pair/pair_term.h"

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
    return at(Distance<Lane>::from_square(r2), c, qq);
  }

  /// The same where only the energies count: it keeps the error bound of energies even for a single pair in hard
  /// contact.
  template <class Lane>
  DROPMD_HOST_DEVICE PairResult<Lane> for_energies(Lane r2, const Coefficients<Lane>& c, Lane qq) const {
    return at(Distance<Lane>::precise_from_square(r2), c, qq);
  }

 private:
  template <class Lane>
  DROPMD_HOST_DEVICE PairResult<Lane> at(const Distance<Lane>& d, const Coefficients<Lane>& c, Lane qq) const {
    using Real = LaneReal<Lane>;
    PairResult<Lane> result{Lane(0), Lane(0), Lane(0)};
    if constexpr (!std::is_same_v<VdwTerm, LjOff<Real>>) {
      const PairTerm<Lane> term = vdw.template operator()<kEachEnds>(d, c);
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

#pragma once

#include <limits>

#include "core/forms/form.h"
#include "forces/pair/pair_term.h"

namespace dropmd {

/// The key `cutoff` of Coulomb forms.
inline constexpr FormKey kCoulombCutoffKey{"cutoff", "length"};

/// The Coulomb term, untruncated or cut: U = k_e q_i q_j / r, so r·F = U. Terms are per k_e q_i q_j.
template <class Real>
struct CoulombPlain {
  static constexpr bool kAllowsNoCutoff = true, kEndsAtCutoff = false;
  static FormList forms() {
    return {{"exact", {}, "1/r of every pair, no cutoff"}, {"cut", {kCoulombCutoffKey}, "1/r up to the cutoff"}};
  }

  Real cutoff2;

  explicit CoulombPlain(const FormChoice& choice) {
    const double r_c = choice.value_or("cutoff", std::numeric_limits<double>::infinity());
    cutoff2 = static_cast<Real>(r_c * r_c);
  }

  template <bool kCutoff, class Lane>
  DROPMD_HOST_DEVICE PairTerm<Lane> operator()(const Distance<Lane>& d) const {
    return within<kCutoff>(PairTerm<Lane>{d.r_inv, d.r_inv}, d.r2, cutoff2);
  }
};

/// CoulombPlain without a cutoff, for which no distance is compared.
template <class Real>
struct CoulombUntruncated {
  static constexpr bool kAllowsNoCutoff = true, kEndsAtCutoff = false;

  template <bool kCutoff, class Lane>
  DROPMD_HOST_DEVICE PairTerm<Lane> operator()(const Distance<Lane>& d) const {
    return {d.r_inv, d.r_inv};
  }
};

}  // namespace dropmd

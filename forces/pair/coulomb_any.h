#pragma once

#include <optional>

#include "core/form.h"
#include "core/form_list.h"
#include "forces/pair/pair_forms.h"
#include "forces/pair/pair_term.h"

namespace dropmd {

/// Any Coulomb form, chosen at run time, for van der Waals terms that are compiled once for all of them (terms per
/// k_e q_i q_j, zero from r_c on; α = 0 and no polynomial: 1/r):
///
///   U(r) = erfc(αr)/r + q0 + q1 r + q2 r² + q3 r³ + q4 r⁴
///
/// as computed: r·F = erfc(αr)/r + (2α/√π) exp(−α²r²) − r (q1 + r (2 q2 + r (3 q3 + r 4 q4)))
template <class Real>
struct CoulombAny {
  Real cutoff2 = 0;  ///< 0: there is no term
  Real alpha = 0, gauss = 0, q0 = 0, q1 = 0, q2 = 0, q3 = 0, q4 = 0;

  explicit CoulombAny(const std::optional<FormChoice>& choice) {
    if (!choice) return;
    with_form<CoulombForms<double>>(*choice, [&](auto tag) { take(typename decltype(tag)::type(*choice)); });
  }

  template <bool kCutoff, class Lane>
  DROPMD_HOST_DEVICE PairTerm<Lane> operator()(const Distance<Lane>& d) const {
    const Lane r = d.r();
    const Lane rising = lane_fma(r, lane_fma(r, lane_fma(r, Lane(q4), Lane(q3)), Lane(q2)), Lane(q1));
    const Lane slopes = lane_fma(r, lane_fma(r, lane_fma(r, Lane(4 * q4), Lane(3 * q3)), Lane(2 * q2)), Lane(q1));
    Lane damped = d.r_inv, virial = d.r_inv;
    if (alpha != Real(0)) {  // the same for all pairs
      const Lane ar = Lane(alpha) * r;
      damped *= lane_erfc(ar);
      virial = lane_fma(Lane(gauss), lane_exp(-ar * ar), damped);
    }
    return within<kCutoff>(PairTerm<Lane>{damped + lane_fma(r, rising, Lane(q0)), lane_fma(-r, slopes, virial)}, d.r2,
                           cutoff2);
  }

 private:
  void take(const CoulombPlain<double>& form) { cutoff2 = static_cast<Real>(form.cutoff2); }
  void take(const CoulombShift<double>& form) {  // (1 − r²/r_c²)²/r
    cutoff2 = static_cast<Real>(form.cutoff2);
    q1 = static_cast<Real>(-2 / form.cutoff2);
    q3 = static_cast<Real>(1 / (form.cutoff2 * form.cutoff2));
  }
  void take(const CoulombEven<double>& form) {
    cutoff2 = static_cast<Real>(form.cutoff2);
    q0 = static_cast<Real>(form.q0);
    q2 = static_cast<Real>(form.q1);
    q4 = static_cast<Real>(form.q2);
  }
  void take(const CoulombDsf<double>& form) {
    cutoff2 = static_cast<Real>(form.cutoff2);
    alpha = static_cast<Real>(form.alpha);
    gauss = static_cast<Real>(form.gauss);
    q0 = static_cast<Real>(form.constant);
    q1 = static_cast<Real>(form.slope);
  }
};

}  // namespace dropmd

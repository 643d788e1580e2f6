#pragma once

#include <optional>
#include <type_traits>

#include "core/forms/form_variant.h"
#include "forces/pair/pair_forms.h"
#include "forces/pair/pair_physics.h"
#include "forces/pair/term_of_form.h"

/// Terms whose form is chosen at run time, for kernels that are compiled once for all forms: those for checking rather
/// than for speed, and rarely used van der Waals terms. All pairs of a call take the same branch and compute exactly
/// what the form itself computes.
namespace dropmd {

/// Any Lennard-Jones form, or none.
template <class Real>
struct LjAny {
  template <class Lane>
  using Coefficients = LjCoefficients<Lane>;
  static constexpr bool kManyForms = true;

  FormVariant<LjForms<Real>, LjOff<Real>> form;

  explicit LjAny(const std::optional<FormChoice>& choice) : form(form_variant<LjForms<Real>, LjOff<Real>>(choice)) {}

  template <bool kCutoff, class Lane>
  DROPMD_HOST_DEVICE PairTerm<Lane> operator()(const Distance<Lane>& d, const LjCoefficients<Lane>& c) const {
    PairTerm<Lane> term{Lane(0), Lane(0)};
    visit([&](const auto& chosen) { term = term_of_form<kCutoff>(chosen, d, c); });
    return term;
  }

  /// Calls use(form) with the form that was chosen, if there is one.
  template <class Use>
  DROPMD_HOST_DEVICE void visit(const Use& use) const {
    visit_form(form, [&]<class Form>(const Form& chosen) {
      if constexpr (!std::is_same_v<Form, LjOff<Real>>) use(chosen);
    });
  }
};

/// Any Coulomb form, or none; terms are per k_e q_i q_j.
template <class Real>
struct CoulombAny {
  static constexpr bool kManyForms = true;

  FormVariant<CoulombForms<Real>, CoulombOff<Real>> form;

  explicit CoulombAny(const std::optional<FormChoice>& choice)
      : form(form_variant<CoulombForms<Real>, CoulombOff<Real>>(choice)) {}

  template <bool kCutoff, class Lane>
  DROPMD_HOST_DEVICE PairTerm<Lane> operator()(const Distance<Lane>& d) const {
    PairTerm<Lane> term{Lane(0), Lane(0)};
    visit([&](const auto& chosen) { term = term_of_form<kCutoff>(chosen, d); });
    return term;
  }

  /// As LjAny::visit().
  template <class Use>
  DROPMD_HOST_DEVICE void visit(const Use& use) const {
    visit_form(form, [&]<class Form>(const Form& chosen) {
      if constexpr (!std::is_same_v<Form, CoulombOff<Real>>) use(chosen);
    });
  }
};

}  // namespace dropmd

#pragma once

#include <optional>
#include <type_traits>

#include "core/form_variant.h"
#include "forces/pair/pair_forms.h"
#include "forces/pair/pair_physics.h"

/// Terms whose form is chosen at run time, for kernels that are compiled once for all forms: those for checking rather
/// than for speed, and rarely used van der Waals terms. All pairs of a call take the same branch and compute exactly
/// what the form itself computes.
namespace dropmd {

namespace any_form_detail {

template <bool kCutoff, class Form, class... Arguments>
DROPMD_HOST_DEVICE DROPMD_OUTLINED auto outlined(Form form, Arguments... arguments) {
  return form.template operator()<kCutoff>(arguments...);
}

/// Evaluates the term of a form. A traversal that computes many pairs at a time would contain a copy of each form for
/// each of them, which exceeds the instruction cache if the forms are long.
template <bool kCutoff, class Form, class... Arguments>
DROPMD_HOST_DEVICE auto term_of(const Form& form, const Arguments&... arguments) {
  if constexpr (requires { requires Form::kLongCode; })
    return outlined<kCutoff>(form, arguments...);
  else
    return form.template operator()<kCutoff>(arguments...);
}

}  // namespace any_form_detail

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
    visit_form(form, [&]<class Form>(const Form& chosen) {
      if constexpr (!std::is_same_v<Form, LjOff<Real>>) term = any_form_detail::term_of<kCutoff>(chosen, d, c);
    });
    return term;
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
    visit_form(form, [&]<class Form>(const Form& chosen) {
      if constexpr (!std::is_same_v<Form, CoulombOff<Real>>) term = any_form_detail::term_of<kCutoff>(chosen, d);
    });
    return term;
  }
};

}  // namespace dropmd

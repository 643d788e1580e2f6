#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/forms/form.h"

/// Lists of forms as types: std::tuple<Form...>, in which each Form describes itself by a static `forms()` or `form()`.
namespace dropmd {

/// Returns the forms that one type implements.
template <class Form>
FormList forms_of() {
  if constexpr (requires { Form::forms(); })
    return Form::forms();
  else
    return {Form::form()};
}

/// Returns the forms that all types of a list implement, in the order of the list.
template <class Tuple>
FormList form_list() {
  FormList all;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto append = [&all](FormList forms) {
      for (FormInfo& form : forms) all.push_back(std::move(form));
    };
    (append(forms_of<std::tuple_element_t<I, Tuple>>()), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<Tuple>>{});
  return all;
}

/// Calls `use(std::type_identity<Form>{})` for the type of the list that implements `choice.form`; throws
/// std::invalid_argument if none does.
template <class Tuple, class Use>
void with_form(const FormChoice& choice, const Use& use) {
  bool found = false;
  const auto try_form = [&]<class Form>(std::type_identity<Form> tag) {
    if (found || find_form(forms_of<Form>(), choice.form) == nullptr) return;
    found = true;
    use(tag);
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (try_form(std::type_identity<std::tuple_element_t<I, Tuple>>{}), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<Tuple>>{});
  if (!found) throw std::invalid_argument("no form is called '" + choice.form + "'");
}

}  // namespace dropmd

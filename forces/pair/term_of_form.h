#pragma once

#include "core/macros.h"

namespace dropmd {

namespace term_of_form_detail {

template <bool kCutoff, class Form, class... Arguments>
DROPMD_HOST_DEVICE DROPMD_OUTLINED auto outlined(Form form, Arguments... arguments) {
  return form.template operator()<kCutoff>(arguments...);
}

}  // namespace term_of_form_detail

/// Evaluates the term of a form, in code that is compiled for several forms at once. A kernel that computes many pairs
/// at a time would contain a copy of each form for each of them, which exceeds the instruction cache if the forms are
/// long; long forms are therefore called as functions.
template <bool kCutoff, class Form, class... Arguments>
DROPMD_HOST_DEVICE auto term_of_form(const Form& form, const Arguments&... arguments) {
  if constexpr (requires { requires Form::kLongCode; })
    return term_of_form_detail::outlined<kCutoff>(form, arguments...);
  else
    return form.template operator()<kCutoff>(arguments...);
}

}  // namespace dropmd

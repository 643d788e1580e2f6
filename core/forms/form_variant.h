#pragma once

#include <optional>
#include <tuple>
#include <type_traits>
#include <variant>

#include "core/forms/form.h"
#include "core/forms/form_list.h"
#include "core/macros.h"

/// A form that is chosen at run time, for code that is compiled once for all forms of a list.
namespace dropmd {

/// A variant of Absent and the forms of a list std::tuple<Form...>.
template <class Forms, class Absent>
struct FormVariantOf;
template <class... Forms, class Absent>
struct FormVariantOf<std::tuple<Forms...>, Absent> {
  using type = std::variant<Absent, Forms...>;
};
/// A variant that holds one of the forms, or Absent if none was chosen.
template <class Forms, class Absent = std::monostate>
using FormVariant = typename FormVariantOf<Forms, Absent>::type;

/// Constructs the chosen form; Absent without a choice. Throws std::invalid_argument for an unknown form.
template <class Forms, class Absent = std::monostate>
FormVariant<Forms, Absent> form_variant(const std::optional<FormChoice>& choice) {
  FormVariant<Forms, Absent> form;
  if (choice) with_form<Forms>(*choice, [&]<class Form>(std::type_identity<Form>) { form = Form(*choice); });
  return form;
}

/// Calls use(form) with the form that the variant holds, which may be Absent: std::visit for host and device.
template <class... Forms, class Use>
DROPMD_HOST_DEVICE inline void visit_form(const std::variant<Forms...>& form, const Use& use) {
  const auto try_form = [&](const auto* held) {
    if (held != nullptr) use(*held);
  };
  (try_form(std::get_if<Forms>(&form)), ...);
}

}  // namespace dropmd

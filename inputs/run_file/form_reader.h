#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/form.h"
#include "inputs/run_file/section_reader.h"

namespace dropmd {

/// How a section names its form.
struct FormSyntax {
  std::string_view word_key = "form";
  std::string_view form_if_left_out;
  bool none_allowed = false;  ///< the word "none", without keys, stands for no such term at all
};

/// Reads the form's word and its keys, defaults filled in. Mistakes: an unknown form, a required key left out, a key
/// that the form does not use. nullopt: a mistake in the word, or the word "none".
std::optional<FormChoice> read_form(SectionReader& section, const FormList& forms, UnitSystem units,
                                    const FormSyntax& syntax);

/// The form of that name with the defaults of its keys. Throws std::out_of_range if the list has no such form.
FormChoice form_with_defaults(const FormList& forms, std::string_view name, UnitSystem units);

/// What a key takes, in words: "a number, greater than 0; unit: length".
std::string expected_value(const FormKey& key);

/// What is wrong with the value of a key beside that of the key which it must be less than; empty if nothing is.
std::string order_problem(const FormKey& key, const FormChoice& choice);

/// The names of the forms.
std::vector<std::string_view> form_names(const FormList& forms);

}  // namespace dropmd

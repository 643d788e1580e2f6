#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/forms/form.h"
#include "inputs/run_file/section_reader.h"

namespace dropmd {

/// How a section chooses its form.
struct FormSyntax {
  /// Key whose word is the form's name.
  std::string_view word_key = "form";
  /// Form if the key is left out.
  std::string_view form_if_left_out;
  bool none_allowed = false;  ///< the word "none", without other keys, switches the term off
};

/// Reads the form's name and its keys, and fills in defaults. Reports an unknown form, a missing required key and a key
/// that the form does not use as mistakes. Returns nullopt for a mistake in the name, or the name "none".
std::optional<FormChoice> read_form(SectionReader& section, const FormList& forms, UnitSystem units,
                                    const FormSyntax& syntax);

/// Returns the form of that name with the defaults of its keys. Throws std::out_of_range if the list has no such form.
FormChoice form_with_defaults(const FormList& forms, std::string_view name, UnitSystem units);

/// Returns the values that a key takes, in words: "a number, greater than 0; unit: length".
std::string expected_value(const FormKey& key);

/// Returns what is wrong with the value of a key that must be less than that of another key; empty if nothing is.
std::string order_problem(const FormKey& key, const FormChoice& choice);

/// Whether an integrator has a bath, which may act on a part of the atoms.
bool is_bath(const FormInfo& integrator);

/// Returns the names of the forms.
std::vector<std::string_view> form_names(const FormList& forms);

}  // namespace dropmd

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.h"
#include "core/number_rule.h"
#include "core/units.h"
#include "core/vec3.h"

/// How a choice among "forms" (a Coulomb form, a wall, an integrator, ...) is described by the code that implements it
/// and carried from a run file to it. A form names its own keys, so a new form needs no change in the run file's
/// reader.
namespace dropmd {

/// One numeric key of a form, or one of three numbers.
struct FormKey {
  std::string_view name;
  std::string_view unit;  ///< dimension in words: "length", "energy/length^2", "time", "1", ...
  Range range = Range::positive;
  bool infinity_allowed = false;
  bool required = true;                  ///< if false, a value left out is taken from a default or from the structure
  std::optional<double> default_real{};  ///< default in units `real`; none: no default
  std::optional<double> default_lj{};    ///< default in units `lj`
  bool vector = false;                   ///< three numbers; their values are NAME.x, NAME.y and NAME.z
  std::string_view note{};               ///< where an optional value without a default comes from, for documentation
  std::string_view less_than{};          ///< another key of the form, whose value must be larger; empty: none

  constexpr NumberRule rule() const { return {range, infinity_allowed}; }
  constexpr std::optional<double> default_in(UnitSystem system) const {
    return system == UnitSystem::real ? default_real : default_lj;
  }
};

/// One selectable form: the word the user writes, the keys it uses and a line of explanation.
struct FormInfo {
  std::string_view name;
  std::vector<FormKey> keys;
  std::string_view summary;
};

/// What the user chose: the form's word and the values of its keys, defaults filled in.
struct FormChoice {
  std::string form;
  std::map<std::string, double, std::less<>> values{};

  bool has(std::string_view key) const { return values.find(key) != values.end(); }
  /// Value of a key; throws std::out_of_range if the form has no such value.
  double at(std::string_view key) const {
    const auto it = values.find(key);
    if (it == values.end()) throw std::out_of_range("form " + form + " has no value for " + std::string(key));
    return it->second;
  }
  /// Of a key with three numbers.
  Vec3<double> vector_at(std::string_view key) const {
    const std::string name(key);
    return {at(name + ".x"), at(name + ".y"), at(name + ".z")};
  }
  void set_vector(std::string_view key, const Vec3<double>& value) {
    const std::string name(key);
    values[name + ".x"] = value.x, values[name + ".y"] = value.y, values[name + ".z"] = value.z;
  }
  double value_or(std::string_view key, double otherwise) const {
    const auto it = values.find(key);
    return it == values.end() ? otherwise : it->second;
  }
};

/// What the user chose of several sections, by the section's name; none: no such term.
using FormChoices = std::map<std::string, FormChoice, std::less<>>;

/// None: the section was left out.
inline std::optional<FormChoice> choice_of(const FormChoices& choices, std::string_view section) {
  const auto found = choices.find(section);
  return found == choices.end() ? std::nullopt : std::optional(found->second);
}

/// All forms of one section; the first is the default where the section is present without a form.
using FormList = std::vector<FormInfo>;

/// A section of the run file that chooses among forms.
struct FormSection {
  std::string_view name;
  FormList forms;
};

/// What a build offers. `inputs` cannot include `forces` or `integrators`; `engine` hands it this.
struct FormCatalog {
  FormList lennard_jones;  ///< by the word of `at-cutoff`
  FormList born_mayer;     ///< likewise
  FormList coulomb;
  std::vector<FormSection> fields;  ///< terms of one atom: walls, external fields
  FormList integrator;
  FormList map;  ///< of a potential map by cutoff summation
};

/// The forms of a section of the catalog's fields; throws std::out_of_range if there is no such section.
inline const FormList& fields_of(const FormCatalog& catalog, std::string_view section) {
  for (const FormSection& field : catalog.fields)
    if (field.name == section) return field.forms;
  throw std::out_of_range("no section is called " + std::string(section));
}

/// The form of that name, or nullptr.
inline const FormInfo* find_form(const FormList& forms, std::string_view name) {
  for (const FormInfo& form : forms)
    if (form.name == name) return &form;
  return nullptr;
}

}  // namespace dropmd

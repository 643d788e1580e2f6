#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.h"
#include "core/forms/number_rule.h"
#include "core/units.h"
#include "core/vec3.h"

/// Describes a choice among "forms" (a Coulomb form, a wall, an integrator, ...) and carries it from the run file to
/// the code that implements it. A form names its own keys, so a new form needs no change in the reader of run files.
namespace dropmd {

/// One key of a form, with a number or three numbers as its value.
struct FormKey {
  std::string_view name;  ///< as written in the run file
  std::string_view unit;  ///< dimension in words: "length", "energy/length^2", "time", "1", ...
  Range range = Range::positive;
  bool infinity_allowed = false;  ///< whether the value may be `inf`
  /// Whether the key must be given; otherwise a default or the structure supplies its value.
  bool required = true;
  std::optional<double> default_real{};  ///< default in units `real`; nullopt: none
  std::optional<double> default_lj{};    ///< default in units `lj`; nullopt: none
  bool vector = false;                   ///< the value is a list of three numbers, stored as NAME.x, NAME.y and NAME.z
  /// For the documentation: where an optional value without a default comes from.
  std::string_view note{};
  /// Another key of the form, whose value must be larger; empty: none.
  std::string_view less_than{};

  /// The rule for the values of the key.
  constexpr NumberRule rule() const { return {range, infinity_allowed}; }
  /// The default in a unit system; nullopt: none.
  constexpr std::optional<double> default_in(UnitSystem system) const {
    return system == UnitSystem::real ? default_real : default_lj;
  }
};

/// One selectable form.
struct FormInfo {
  std::string_view name;      ///< the word that the user writes
  std::vector<FormKey> keys;  ///< the keys that the form uses
  std::string_view summary;   ///< one line of explanation
};

/// What the user chose: a form and the values of its keys, with defaults filled in.
struct FormChoice {
  std::string form;                                     ///< FormInfo::name
  std::map<std::string, double, std::less<>> values{};  ///< by the key's name, in the run's units

  /// Whether the key has a value.
  bool has(std::string_view key) const { return values.find(key) != values.end(); }
  /// Returns the value of a key; throws std::out_of_range if the form has no such value.
  double at(std::string_view key) const {
    const auto it = values.find(key);
    if (it == values.end()) throw std::out_of_range("form " + form + " has no value for " + std::string(key));
    return it->second;
  }
  /// Returns the value of a key with three numbers; throws std::out_of_range if the form has no such value.
  Vec3<double> vector_at(std::string_view key) const {
    const std::string name(key);
    return {at(name + ".x"), at(name + ".y"), at(name + ".z")};
  }
  /// Sets the value of a key with three numbers.
  void set_vector(std::string_view key, const Vec3<double>& value) {
    const std::string name(key);
    values[name + ".x"] = value.x, values[name + ".y"] = value.y, values[name + ".z"] = value.z;
  }
  /// Returns the value of a key, or `otherwise` if it has none.
  double value_or(std::string_view key, double otherwise) const {
    const auto it = values.find(key);
    return it == values.end() ? otherwise : it->second;
  }
};

/// The choices of several sections, by the section's name. A missing section means that there is no such term.
using FormChoices = std::map<std::string, FormChoice, std::less<>>;

/// Returns the choice of a section; nullopt if the section was left out.
inline std::optional<FormChoice> choice_of(const FormChoices& choices, std::string_view section) {
  const auto found = choices.find(section);
  return found == choices.end() ? std::nullopt : std::optional(found->second);
}

/// All forms of one section. The first is the default of a section that names no form.
using FormList = std::vector<FormInfo>;

/// A section of the run file in which a form is chosen.
struct FormSection {
  std::string_view name;
  FormList forms;
};

/// The forms that a build offers, and the files that its runs can write. The room `inputs` cannot include `forces`,
/// `integrators` or `outputs`, so `engine` passes it this catalog (form_catalog() in engine/model/form_catalog.h).
struct FormCatalog {
  FormList lennard_jones;           ///< by the word of `at-cutoff`
  FormList born_mayer;              ///< by the word of `at-cutoff`
  FormList coulomb;                 ///< forms of the Coulomb term
  std::vector<FormSection> fields;  ///< one-body terms: walls and external fields
  FormList integrator;              ///< integrators and minimisers
  /// Integrators with which forces may be slow (allows_slow_forces() in integrators/integrator.h).
  std::vector<std::string_view> slow_force_integrators;
  FormList map;  ///< forms of a potential map by cutoff summation
  /// Extensions of the formats that structures, trajectories and maps are written in: ".xyz".
  std::vector<std::string_view> written_structures, trajectories, written_maps;
};

/// Returns the forms of a field's section; throws std::out_of_range if the catalog has no such section.
inline const FormList& fields_of(const FormCatalog& catalog, std::string_view section) {
  for (const FormSection& field : catalog.fields)
    if (field.name == section) return field.forms;
  throw std::out_of_range("no section is called " + std::string(section));
}

/// Returns the form of that name, or nullptr.
inline const FormInfo* find_form(const FormList& forms, std::string_view name) {
  for (const FormInfo& form : forms)
    if (form.name == name) return &form;
  return nullptr;
}

}  // namespace dropmd

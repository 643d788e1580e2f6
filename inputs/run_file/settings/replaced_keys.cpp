#include "inputs/run_file/settings/replaced_keys.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "inputs/run_file/form_reader.h"
#include "inputs/run_file/sections/coulomb_section.h"

namespace dropmd {
namespace {

/// A key whose word decides which other keys of its section are used.
struct WordKey {
  std::string_view section, key;
  FormList forms;
  std::string_view form_if_left_out;
};

/// The choices of [map] that are not forms, in the shape of forms.
FormList map_methods(const FormList& forms) {
  FormInfo cutoff{"cutoff", {FormKey{"form", "word"}}, {}};
  for (const FormInfo& form : forms) cutoff.keys.insert(cutoff.keys.end(), form.keys.begin(), form.keys.end());
  return {cutoff, {"direct", {}, {}}, {"mesh", {FormKey{"accuracy", "1"}}, {}}};
}
FormList map_units() {
  return {{"energy", {}, {}}, {"kT", {FormKey{"temperature", "temperature"}}, {}}, {"V", {}, {}}};
}

/// The forms of [coulomb]; the form "exact" also gets its keys that are settings rather than values.
FormList coulomb_forms_with_settings(FormList forms) {
  for (FormInfo& form : forms)
    if (form.name == kExactCoulomb)
      for (const std::string_view key : exact_coulomb_keys()) form.keys.push_back({key, "setting"});
  return forms;
}

/// Integrators, with the key that belongs to those with a bath.
FormList integrators_with_settings(FormList forms) {
  for (FormInfo& form : forms)
    if (is_bath(form)) form.keys.push_back({"applies-to", "setting"});
  return forms;
}

std::vector<WordKey> word_keys(const FormCatalog& catalog, TomlSection& section) {
  const bool has_cutoff = find_entry(section, "cutoff") != nullptr;
  std::vector<WordKey> keys{
      {"coulomb", "form", coulomb_forms_with_settings(catalog.coulomb), catalog.coulomb.front().name},
      {"integrator", "form", integrators_with_settings(catalog.integrator), catalog.integrator.front().name},
      {"lennard-jones", "at-cutoff", catalog.lennard_jones, has_cutoff ? "cut" : "none"},
      {"map", "method", map_methods(catalog.map), "cutoff"},
      {"map", "form", catalog.map, "shift"},
      {"map", "unit", map_units(), "energy"}};
  for (const FormSection& field : catalog.fields)
    keys.push_back({field.name, "form", field.forms, field.forms.front().name});
  return keys;
}

/// Returns the keys of a form; none for "none" and unknown words.
std::vector<FormKey> keys_of(const FormList& forms, std::string_view word) {
  const FormInfo* const form = find_form(forms, word);
  return form == nullptr ? std::vector<FormKey>{} : form->keys;
}

void drop_keys_of_old_form(const WordKey& choice, std::string_view word, TomlSection& section) {
  if (word != "none" && find_form(choice.forms, word) == nullptr) return;  // a mistake, which will be reported
  const TomlEntry* const written = find_entry(section, choice.key);
  const auto* const text = written == nullptr ? nullptr : std::get_if<std::string>(&written->value);
  const std::vector<FormKey> old_keys = keys_of(choice.forms, text == nullptr ? choice.form_if_left_out : *text);
  const std::vector<FormKey> new_keys = keys_of(choice.forms, word);
  std::erase_if(section.entries, [&](const TomlEntry& entry) {
    const auto is_entry = [&](const FormKey& key) { return key.name == entry.key; };
    const auto old = std::find_if(old_keys.begin(), old_keys.end(), is_entry);
    return old != old_keys.end() && std::none_of(new_keys.begin(), new_keys.end(), [&](const FormKey& key) {
             return is_entry(key) && key.unit == old->unit;
           });
  });
}

bool is_given_again(std::span<const Setting> later, const Setting& setting) {
  return std::any_of(later.begin(), later.end(), [&](const Setting& other) {
    return other.section == setting.section && other.key == setting.key;
  });
}

}  // namespace

void drop_replaced_keys(std::span<const Setting> settings, const FormCatalog& catalog, TomlDocument& document) {
  for (std::size_t k = 0; k < settings.size(); ++k) {
    const Setting& setting = settings[k];
    TomlSection* const section = find_section(document, setting.section);
    const auto* const word = std::get_if<std::string>(&setting.value);
    if (section == nullptr || word == nullptr || is_given_again(settings.subspan(k + 1), setting)) continue;
    for (const WordKey& choice : word_keys(catalog, *section))
      if (choice.section == setting.section && choice.key == setting.key)
        drop_keys_of_old_form(choice, *word, *section);
  }
}

}  // namespace dropmd

#include "inputs/run_file/sections/coulomb_section.h"

#include <fmt/core.h>

#include <optional>
#include <string>
#include <variant>

#include "inputs/run_file/choice_words.h"
#include "inputs/run_file/form_reader.h"
#include "inputs/run_file/number_tables.h"
#include "inputs/run_file/section_reader.h"

namespace dropmd {
namespace {

/// Range of the accuracy of a mesh, relative to the RMS Coulomb force: fp32 arithmetic itself has errors of about 1e-6.
constexpr double kFinest = 1e-10, kFinestMixed = 1e-5, kCoarsest = 1e-2;

bool says_none(SectionReader& section) {
  const TomlEntry* const form = section.find("form");
  const auto* const word = form == nullptr ? nullptr : std::get_if<std::string>(&form->value);
  return word != nullptr && *word == "none";
}

void report_keys_of_exact(SectionReader& section, std::string_view form) {
  for (const std::string_view key : exact_coulomb_keys())
    if (section.has(key))
      section.mistake(section.place_of(key), fmt::format("{} is not used by form '{}' (used by: {})",
                                                         section.name_of(key), form, kExactCoulomb));
}

void check_accuracy(SectionReader& section, const CoulombSettings& settings) {
  if (!settings.accuracy || (*settings.accuracy >= kFinest && *settings.accuracy <= kCoarsest)) return;
  section.mistake(section.find("accuracy")->value_place,
                  fmt::format("{} is {} (it must be from {} to {}; below {} only in double precision)",
                              section.name_of("accuracy"), *settings.accuracy, kFinest, kCoarsest, kFinestMixed));
}

/// Direct sums have neither an error nor a mesh.
void report_keys_beside_direct(SectionReader& section, const CoulombSettings& settings) {
  if (settings.method != CoulombMethod::direct) return;
  for_each_number(kCoulombNumbers, [&](const auto& setting) {
    if (section.has(setting.key))
      section.mistake(section.place_of(setting.key),
                      fmt::format("{} is not used by method 'direct' (used by: mesh)", section.name_of(setting.key)));
  });
}

}  // namespace

std::vector<std::string_view> exact_coulomb_keys() {
  std::vector<std::string_view> keys{"method"};
  for_each_number(kCoulombNumbers, [&](const auto& setting) { keys.push_back(setting.key); });
  return keys;
}

void read_coulomb_section(const TomlDocument& document, const FormList& forms, MistakeList& mistakes,
                          RunConfig& config) {
  const TomlSection* const toml = find_section(document, "coulomb");
  if (toml == nullptr) {
    if (config.topology.given()) config.coulomb = form_with_defaults(forms, kExactCoulomb, config.units);
    return;
  }
  SectionReader section(*toml, mistakes);
  config.coulomb =
      read_form(section, forms, config.units, {.form_if_left_out = forms.front().name, .none_allowed = true});
  if (!config.coulomb && !says_none(section)) {  // the form itself is a mistake
    for (const std::string_view key : exact_coulomb_keys()) section.find(key);
  } else if (const std::string form = config.coulomb ? config.coulomb->form : "none"; form == kExactCoulomb) {
    CoulombSettings& settings = config.coulomb_settings;
    settings.method = section.choice("method", kCoulombMethodWords).value_or(settings.method);
    section.numbers(kCoulombNumbers, settings);
    check_accuracy(section, settings);
    report_keys_beside_direct(section, settings);
  } else {
    report_keys_of_exact(section, form);
  }
  section.report_unknown_keys();
}

}  // namespace dropmd

#include "engine/model/possible_settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "engine/model/form_catalog.h"
#include "inputs/nearest_word.h"
#include "inputs/run_file/form_reader.h"
#include "inputs/run_file/number_tables.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

namespace {

template <class... Values>
[[noreturn]] void refuse(fmt::format_string<const Values&...> format, const Values&... values) {
  throw std::invalid_argument(fmt::format(format, values...));
}

/// section: "[engine]". Values that are left out are not checked.
template <class Number, class Rule>
void require_number(std::string_view section, std::string_view key, const Number& value, const Rule& rule) {
  if constexpr (std::is_same_v<Number, std::optional<double>> || std::is_same_v<Number, std::optional<int>>) {
    if (value) require_number(section, key, *value, rule);
  } else if constexpr (std::is_same_v<Rule, NumberRule>) {
    if (const std::string_view problem = number_problem(value, rule); !problem.empty())
      refuse("'{}' in {} is {} ({})", key, section, value, problem);
  } else if constexpr (!std::is_unsigned_v<Number>) {  // a seed may be any number
    if (const std::string problem = whole_number_problem(value, rule); !problem.empty())
      refuse("'{}' in {} is {} ({})", key, section, value, problem);
  }
}

template <class Table, class Holder>
void require_numbers(std::string_view section, const Table& table, const Holder& holder) {
  for_each_number(
      table, [&](const auto& setting) { require_number(section, setting.key, holder.*setting.member, setting.rule); });
}

/// Returns the names under which a choice holds the values of a key.
std::vector<std::string> value_names(const FormKey& key) {
  const std::string name(key.name);
  if (key.vector) return {name + ".x", name + ".y", name + ".z"};
  return {name};
}

void require_known_values(std::string_view section, const FormInfo& form, const FormChoice& choice) {
  std::vector<std::string> known;
  for (const FormKey& key : form.keys)
    for (std::string& name : value_names(key)) known.push_back(std::move(name));
  for (const auto& [name, value] : choice.values) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    if (known.empty()) refuse("'{}' in {} is not used by '{}' (which has no values)", name, section, form.name);
    refuse("'{}' in {} is not used by '{}' {}", name, section, form.name,
           known_words_hint(name, {known.begin(), known.end()}));
  }
}

/// word_key: the key that names the form of this section in a run file.
void require_form(std::string_view section, std::string_view word_key, const FormList& forms, const FormChoice& choice,
                  UnitSystem units) {
  const FormInfo* const form = find_form(forms, choice.form);
  if (form == nullptr)
    refuse("unknown {} '{}' in {} {}", word_key, choice.form, section,
           known_words_hint(choice.form, form_names(forms)));
  require_known_values(section, *form, choice);
  for (const FormKey& key : form->keys) {
    for (const std::string& name : value_names(key)) {
      if (choice.has(name))
        require_number(section, name, choice.at(name), key.rule());
      else if (key.required || key.default_in(units))  // defaults are those of the run file's reader
        refuse("{} '{}' in {} needs '{}' ({})", word_key, form->name, section, name, expected_value(key));
    }
    if (const std::string problem = order_problem(key, choice); !problem.empty())
      refuse("'{}' in {} is {} ({})", key.name, section, choice.at(key.name), problem);
  }
}

/// Each species and each pair of species may be given once.
void require_distinct_species(const RunConfig& config) {
  std::set<std::string> names;
  std::set<std::pair<std::string, std::string>> pairs;
  for (const SpeciesConfig& species : config.species)
    if (!names.insert(species.name).second)
      refuse("a second species '{}' (give one entry of `species` for each name)", species.name);
  for (const PairConfig& pair : config.pairs) {
    for (const std::string& name : {pair.first, pair.second})
      if (!names.contains(name))
        refuse("species '{}' of a pair has no entry of `species` (every name needs one)", name);
    if (!pairs.insert(std::minmax(pair.first, pair.second)).second)
      refuse("a second pair of '{}' and '{}' (give one entry of `pairs` for two species)", pair.first, pair.second);
  }
}

void require_lennard_jones(const RunConfig& config, const FormCatalog& catalog) {
  constexpr std::string_view kSection = "[lennard-jones]";
  const LennardJonesConfig& term = *config.lennard_jones;
  for (const auto& [key, value] : {std::pair("epsilon", term.epsilon), std::pair("sigma", term.sigma)}) {
    if (config.species.empty() && !value && !config.topology.given())
      refuse("{} has no '{}' (give a number, or species with their own)", kSection, key);
    if (!config.species.empty() && value)
      refuse("'{}' in {} cannot be combined with species (give either one for all atoms, or one for each species)", key,
             kSection);
  }
  require_numbers(kSection, kLennardJonesNumbers<LennardJonesConfig>, term);
  for (const SpeciesConfig& species : config.species)
    require_numbers("[[species]]", kLennardJonesNumbers<SpeciesConfig>, species);
  for (const PairConfig& pair : config.pairs) require_numbers("[[pair]]", kLennardJonesNumbers<PairConfig>, pair);
  require_form(kSection, "at-cutoff", catalog.lennard_jones, term.treatment, config.units);
}

void require_born_mayer(const RunConfig& config, const FormCatalog& catalog) {
  constexpr std::string_view kSection = "[born-mayer]";
  const BornMayerConfig& term = *config.born_mayer;
  if (config.lennard_jones)
    refuse("{} cannot be combined with [lennard-jones] (keep one of them: a run has one van der Waals term)", kSection);
  if (config.species.empty() != term.values.has_value())
    refuse("{} {} (give values for all atoms, or species and their pairs)", kSection,
           term.values ? "has values together with species" : "has no values");
  if (term.values) require_numbers(kSection, kBornMayerNumbers, *term.values);
  for (const PairConfig& pair : config.pairs) require_numbers("[[pair]]", kBornMayerNumbers, pair.born_mayer);
  require_form(kSection, "at-cutoff", catalog.born_mayer, term.treatment, config.units);
}

void require_fields(const RunConfig& config, const FormCatalog& catalog) {
  for (const auto& [name, choice] : config.fields) {
    const auto section = std::find_if(catalog.fields.begin(), catalog.fields.end(),
                                      [&, &wanted = name](const FormSection& s) { return s.name == wanted; });
    if (section == catalog.fields.end()) {
      std::vector<std::string_view> known;
      for (const FormSection& field : catalog.fields) known.push_back(field.name);
      refuse("no wall or field is called '{}' {}", name, known_words_hint(name, known));
    }
    require_form(fmt::format("[{}]", name), "form", section->forms, choice, config.units);
  }
}

void require_droplet(const IntegrationSettings& settings) {
  constexpr std::string_view kSection = "[droplet]";
  if (!settings.droplet) {
    if (settings.follows_droplet())
      refuse("'{}' follows the droplet, for which clusters must be labelled (set {}, which may be empty)",
             settings.recenter == Recenter::droplet ? "recenter" : "applies-to", kSection);
    return;
  }
  require_numbers(kSection, kDropletNumbers, *settings.droplet);
  if (settings.droplet->profile_every % settings.droplet->every != 0)
    refuse("'profile-every' in {} is {} (it must be a multiple of 'every', {})", kSection,
           settings.droplet->profile_every, settings.droplet->every);
}

}  // namespace

void require_possible_model(const RunConfig& config) {
  const FormCatalog catalog = form_catalog();
  require_numbers("[system]", kSystemNumbers, config);
  for (const SpeciesConfig& species : config.species) require_numbers("[[species]]", kSpeciesNumbers, species);
  require_distinct_species(config);
  if (config.lennard_jones) require_lennard_jones(config, catalog);
  if (config.born_mayer) require_born_mayer(config, catalog);
  if (config.coulomb) require_form("[coulomb]", "form", catalog.coulomb, *config.coulomb, config.units);
  require_numbers("[coulomb]", kCoulombNumbers, config.coulomb_settings);
  require_fields(config, catalog);
}

void require_possible_run(const RunSettings& settings, UnitSystem units) {
  require_form("[integrator]", "form", form_catalog().integrator, settings.integrator, units);
  require_numbers("[neighbor]", kNeighborNumbers, settings);
  require_numbers("[engine]", kEngineNumbers, settings);
  require_numbers("[run]", kRunNumbers, settings);
  require_droplet(settings);
}

}  // namespace dropmd

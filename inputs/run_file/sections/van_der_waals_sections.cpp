#include "inputs/run_file/sections/van_der_waals_sections.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "inputs/run_file/form_reader.h"
#include "inputs/run_file/r_min.h"
#include "inputs/run_file/section_reader.h"
#include "inputs/structures/structure_file.h"

namespace dropmd {
namespace {

/// The van der Waals term of a run.
enum class VdwTerm { none, lennard_jones, born_mayer };

constexpr std::array<std::string_view, 3> kLjKeys = {"epsilon", "sigma", "r-min"};

/// epsilon and sigma of one section; nullopt if left out or wrong.
struct Parameters {
  std::optional<double> epsilon;
  std::optional<double> sigma;
};

Parameters read_parameters(SectionReader& section) {
  Parameters parameters;
  section.numbers(kLennardJonesNumbers<Parameters>, parameters);
  const std::optional<double> r_min = section.number("r-min", {Range::positive});
  if (section.has("sigma") && section.has("r-min")) {
    const SourcePlace& a = section.place_of("sigma");
    const SourcePlace& b = section.place_of("r-min");
    section.mistake(
        std::tie(a.line, a.column) < std::tie(b.line, b.column) ? b : a,
        fmt::format("{} has both sigma and r-min (give one of them; r-min = 2^(1/6) sigma)", section.name()));
  } else if (r_min) {
    parameters.sigma = sigma_of_r_min(*r_min);
  }
  return parameters;
}

/// otherwise: another remedy, with the semicolon before it; may be empty.
void require_parameters(SectionReader& section, std::string_view otherwise = {}) {
  const auto require = [&](std::string_view key, std::string_view remedy) {
    section.missing(key, fmt::format("{}{}", remedy, otherwise));
  };
  if (!section.has("epsilon")) require("epsilon", "give the depth of the potential, an energy");
  if (!section.has("sigma") && !section.has("r-min")) require("sigma", "give a length; or r-min = 2^(1/6) sigma");
}

BornMayerValues read_born_mayer_values(SectionReader& section) {
  BornMayerValues values;
  section.numbers(kBornMayerNumbers, values);
  if (!section.has("A")) section.missing("A", "give an energy: A exp((sigma - r)/rho)");
  if (!section.has("rho")) section.missing("rho", "give a length: A exp((sigma - r)/rho)");
  if (!section.has("C")) section.missing("C", "give energy times length^6: -C/r^6; 0: none");
  if (!section.has("D")) section.missing("D", "give energy times length^8: -D/r^8; 0: none");
  return values;
}

/// Reports keys that belong to another van der Waals term.
template <class Keys>
void report_keys_of_others(const TomlSection& item, SectionReader& section, const Keys& keys, std::string_view term,
                           std::string_view remedy) {
  for (const TomlEntry& entry : item.entries) {
    if (std::find(keys.begin(), keys.end(), entry.key) == keys.end()) continue;
    section.find(entry.key);  // marks it as known; keys that the file leaves out stay unknown
    section.mistake(entry.key_place,
                    fmt::format("{} is not used by [{}] ({})", section.name_of(entry.key), term, remedy));
  }
}

/// Returns the list items of one name.
std::vector<const TomlSection*> items_named(const TomlDocument& document, std::string_view name) {
  std::vector<const TomlSection*> items;
  for (const TomlSection& item : document.list_items)
    if (item.name == name) items.push_back(&item);
  return items;
}

bool gives_parameters(const TomlSection& section) {
  return std::any_of(section.entries.begin(), section.entries.end(), [](const TomlEntry& entry) {
    return std::find(kLjKeys.begin(), kLjKeys.end(), entry.key) != kLjKeys.end();
  });
}

/// Names and pairs that [[species]] and [[pair]] have given so far.
struct Named {
  std::set<std::string> species;
  std::set<std::pair<std::string, std::string>> pairs;  ///< each in alphabetical order
};

void read_species(const TomlSection& item, VdwTerm term, MistakeList& mistakes, Named& named, RunConfig& config) {
  SectionReader section(item, mistakes);
  SpeciesConfig species;
  species.place = item.place;
  if (!section.has("name")) section.missing("name", "give it as in the structure file");
  const std::optional<std::string> name = section.text("name");
  species.name = name.value_or("");
  if (!named.species.insert(species.name).second && name)
    section.mistake(section.find("name")->value_place,
                    fmt::format("a second species {} (give one [[species]] for each name)", in_quotes(*name)));
  section.numbers(kSpeciesNumbers, species);
  if (term == VdwTerm::born_mayer) {
    report_keys_of_others(item, section, kLjKeys, "born-mayer", "its parameters belong to [[pair]]");
  } else {
    const Parameters parameters = read_parameters(section);
    if (term == VdwTerm::lennard_jones) require_parameters(section);
    species.epsilon = parameters.epsilon.value_or(species.epsilon);
    species.sigma = parameters.sigma.value_or(species.sigma);
  }
  section.report_unknown_keys();
  config.species.push_back(std::move(species));
}

/// Returns the two names of a pair; nullopt if they are wrong.
std::optional<std::vector<std::string>> read_pair_names(SectionReader& section, Named& named) {
  if (!section.has("species")) section.missing("species", "give two names, such as species = [\"Na\", \"Cl\"]");
  std::optional<std::vector<std::string>> names = section.text_list("species");
  if (!names) return std::nullopt;
  const SourcePlace& place = section.find("species")->value_place;
  if (names->size() != 2) {
    section.mistake(place, fmt::format("{} names {} species (name two, which may be the same)",
                                       section.name_of("species"), names->size()));
    return std::nullopt;
  }
  for (const std::string& name : *names)
    if (!named.species.contains(name))
      section.mistake(place, fmt::format("species {} of a pair has no [[species]] (every name of a pair needs one)",
                                         in_quotes(name)));
  if (!named.pairs.insert(std::minmax((*names)[0], (*names)[1])).second)
    section.mistake(place, fmt::format("a second pair of {} and {} (give one [[pair]] for any two species)",
                                       in_quotes((*names)[0]), in_quotes((*names)[1])));
  return names;
}

void read_pair(const TomlSection& item, VdwTerm term, MistakeList& mistakes, Named& named, RunConfig& config) {
  SectionReader section(item, mistakes);
  const std::optional<std::vector<std::string>> names = read_pair_names(section, named);
  PairConfig pair{.first = {}, .second = {}, .place = item.place};
  if (term == VdwTerm::born_mayer) {
    report_keys_of_others(item, section, std::array<std::string_view, 2>{"epsilon", "r-min"}, "born-mayer",
                          "a pair has A, rho, sigma, C and D");
    pair.born_mayer = read_born_mayer_values(section);
  } else {
    report_keys_of_others(item, section, std::array<std::string_view, 4>{"A", "rho", "C", "D"}, "lennard-jones",
                          "for Born-Mayer pairs write [born-mayer] instead");
    const Parameters parameters = read_parameters(section);
    require_parameters(section);
    pair.epsilon = parameters.epsilon.value_or(0);
    pair.sigma = parameters.sigma.value_or(1);
  }
  section.report_unknown_keys();
  if (!names || names->size() != 2) return;
  pair.first = (*names)[0];
  pair.second = (*names)[1];
  config.pairs.push_back(std::move(pair));
}

void read_treatment(SectionReader& section, const FormList& forms, UnitSystem units, LennardJonesConfig& config) {
  const FormSyntax syntax{.word_key = "at-cutoff", .form_if_left_out = section.has("cutoff") ? "cut" : "none"};
  const std::optional<FormChoice> treatment = read_form(section, forms, units, syntax);
  if (!treatment) return;
  config.treatment = *treatment;
  if (treatment->has("switch-from")) config.switch_from_place = section.find("switch-from")->value_place;
}

LennardJonesConfig read_lennard_jones(const TomlSection& toml, bool has_species_items, const RunConfig& run,
                                      const FormList& forms, MistakeList& mistakes) {
  SectionReader section(toml, mistakes);
  LennardJonesConfig config;
  const Parameters parameters = read_parameters(section);
  if (has_species_items) {
    for (const std::string_view key : {"epsilon", "sigma", "r-min"})
      if (const TomlEntry* entry = section.find(key))
        section.mistake(
            entry->key_place,
            fmt::format(
                "{} cannot be combined with [[species]] (give either one for all atoms here, or one for each species)",
                section.name_of(key)));
  } else if (!run.topology.given()) {
    require_parameters(section, topology_remedy(run.structure));
    config.epsilon = parameters.epsilon;
    config.sigma = parameters.sigma;
  }
  read_treatment(section, forms, run.units, config);
  config.mixing = section.choice("mixing", kMixingWords).value_or(config.mixing);
  section.report_unknown_keys();
  return config;
}

BornMayerConfig read_born_mayer(const TomlSection& toml, bool has_species_items, const FormList& forms,
                                UnitSystem units, MistakeList& mistakes) {
  SectionReader section(toml, mistakes);
  BornMayerConfig config{.values = {}, .treatment = {"none"}, .place = toml.place};
  if (has_species_items) {
    for_each_number(kBornMayerNumbers, [&](const auto& setting) {
      if (const TomlEntry* entry = section.find(setting.key))
        section.mistake(entry->key_place,
                        fmt::format("{} cannot be combined with [[species]] (parameters of a pair of species belong "
                                    "to its [[pair]])",
                                    section.name_of(setting.key)));
    });
  } else {
    config.values = read_born_mayer_values(section);
  }
  const FormSyntax syntax{.word_key = "at-cutoff", .form_if_left_out = section.has("cutoff") ? "cut" : "none"};
  if (const std::optional<FormChoice> treatment = read_form(section, forms, units, syntax))
    config.treatment = *treatment;
  section.report_unknown_keys();
  return config;
}

}  // namespace

void read_van_der_waals_sections(const TomlDocument& document, const FormCatalog& catalog, MistakeList& mistakes,
                                 RunConfig& config) {
  const TomlSection* const lennard_jones = find_section(document, "lennard-jones");
  const TomlSection* const born_mayer = find_section(document, "born-mayer");
  const std::vector<const TomlSection*> species = items_named(document, "species");
  const std::vector<const TomlSection*> pairs = items_named(document, "pair");
  const bool is_implied = !pairs.empty() || std::any_of(species.begin(), species.end(), [](const TomlSection* item) {
    return gives_parameters(*item);
  });
  const VdwTerm term = born_mayer != nullptr                    ? VdwTerm::born_mayer
                       : lennard_jones != nullptr || is_implied ? VdwTerm::lennard_jones
                                                                : VdwTerm::none;
  Named named;
  for (const TomlSection* item : species) read_species(*item, term, mistakes, named, config);
  for (const TomlSection* item : pairs) read_pair(*item, term, mistakes, named, config);
  if (born_mayer != nullptr) {
    if (lennard_jones != nullptr)
      mistakes.add(
          born_mayer->place,
          "[born-mayer] cannot be combined with [lennard-jones] (keep one of them: a run has one van der Waals term)");
    config.born_mayer = read_born_mayer(*born_mayer, !species.empty(), catalog.born_mayer, config.units, mistakes);
  } else if (lennard_jones != nullptr) {
    config.lennard_jones =
        read_lennard_jones(*lennard_jones, !species.empty(), config, catalog.lennard_jones, mistakes);
  } else if (is_implied || config.topology.given()) {
    config.lennard_jones = LennardJonesConfig{
        .epsilon = {}, .sigma = {}, .treatment = form_with_defaults(catalog.lennard_jones, "none", config.units)};
  }
}

}  // namespace dropmd

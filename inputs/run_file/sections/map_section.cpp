#include "inputs/run_file/sections/map_section.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "inputs/run_file/choice_words.h"
#include "inputs/run_file/form_reader.h"
#include "inputs/run_file/section_reader.h"
#include "inputs/run_file/sections/output_name.h"
#include "inputs/text_source.h"

namespace dropmd {
namespace {

constexpr std::string_view kDefaultForm = "shift";

/// Names of a run's other files besides its trajectory.
constexpr std::array<std::string_view, 5> kOtherFiles = {"energy.csv", "ledger.csv", "choices.csv", "checkpoint.h5",
                                                         "checkpoint-previous.h5"};

/// Reads one number for all axes, or one for each.
std::optional<Vec3<double>> read_spacing(SectionReader& section) {
  const TomlEntry* const entry = section.find("spacing");
  const bool is_list = entry != nullptr && (std::holds_alternative<std::vector<double>>(entry->value) ||
                                            std::holds_alternative<std::vector<std::int64_t>>(entry->value));
  if (is_list) return section.vector("spacing", {Range::positive});
  if (const std::optional<double> h = section.number("spacing", {Range::positive})) return Vec3<double>{*h, *h, *h};
  return std::nullopt;
}

void read_grid(SectionReader& section, MapChoices& choices) {
  choices.spacing = read_spacing(section).value_or(choices.spacing);
  choices.padding = section.number("padding", {Range::not_negative}).value_or(choices.padding);
  choices.origin = section.vector("origin", {});
  choices.points = section.whole_vector("points", 1);
  for (const auto& [key, other] : {std::pair{"origin", "points"}, std::pair{"points", "origin"}})
    if (section.has(key) && !section.has(other))
      section.mistake(section.place_of(key),
                      fmt::format("{} without '{}' (give both or, for a grid around the atoms, neither)",
                                  section.name_of(key), other));
  if (section.has("points") && section.has("padding"))
    section.mistake(
        section.place_of("padding"),
        fmt::format(
            "{} cannot be combined with 'points' (give either a padding around the atoms, or origin and points)",
            section.name_of("padding")));
}

/// Reports keys that only the cutoff summation uses.
void report_keys_of_cutoff(SectionReader& section, const FormList& forms, MapMethod method) {
  std::vector<std::string_view> keys{"form"};
  for (const FormInfo& form : forms)
    for (const FormKey& key : form.keys)
      if (std::find(keys.begin(), keys.end(), key.name) == keys.end()) keys.push_back(key.name);
  for (const std::string_view key : keys)
    if (section.has(key))
      section.mistake(section.place_of(key), fmt::format("{} is not used by method '{}' (used by: cutoff)",
                                                         section.name_of(key), word_of_value(kMapMethodWords, method)));
}

void read_accuracy(SectionReader& section, MapMethod method, MapChoices& choices) {
  const std::optional<double> accuracy = section.number("accuracy", {Range::positive});
  if (method == MapMethod::mesh) choices.accuracy = accuracy.value_or(kUsualMapAccuracy);
  if (!accuracy) return;
  if (method != MapMethod::mesh)
    section.mistake(section.place_of("accuracy"),
                    fmt::format("{} is not used by method '{}' (used by: mesh)", section.name_of("accuracy"),
                                word_of_value(kMapMethodWords, method)));
  else if (*accuracy < kFinestMap || *accuracy > kCoarsestMap)
    section.mistake(section.find("accuracy")->value_place,
                    fmt::format("{} is {} (it must be from {} to {}; below {} only in double precision)",
                                section.name_of("accuracy"), *accuracy, kFinestMap, kCoarsestMap, kFinestMixedMap));
}

void read_method(SectionReader& section, const FormList& forms, UnitSystem units, MapChoices& choices) {
  const MapMethod method = section.choice("method", kMapMethodWords).value_or(MapMethod::cutoff);
  read_accuracy(section, method, choices);
  if (method != MapMethod::cutoff)
    report_keys_of_cutoff(section, forms, method);
  else if (const std::optional<FormChoice> form = read_form(section, forms, units, {.form_if_left_out = kDefaultForm}))
    choices.coulomb = *form;
  choices.nearest = section.number("nearest", {Range::positive}).value_or(choices.nearest);
  if (!choices.coulomb.has("cutoff") || choices.nearest < choices.coulomb.at("cutoff")) return;
  const TomlEntry* const entry = section.find(section.has("nearest") ? "nearest" : "cutoff");
  section.mistake(entry == nullptr ? section.place() : entry->value_place,
                  fmt::format("{} is {} (it must be less than the cutoff, {})", section.name_of("nearest"),
                              choices.nearest, choices.coulomb.at("cutoff")));
}

void read_unit(SectionReader& section, UnitSystem units, MapChoices& choices) {
  const std::optional<MapUnit> unit = section.choice("unit", kMapUnitWords);
  choices.unit = unit.value_or(choices.unit);
  choices.temperature = section.number("temperature", {Range::positive});
  if (section.has("unit") && !unit) return;
  if (choices.unit == MapUnit::volt && units != UnitSystem::real)
    section.mistake(section.find("unit")->value_place,
                    fmt::format("{} is 'V' (volts need units \"real\"; choose energy or kT)", section.name_of("unit")));
  if (choices.unit == MapUnit::thermal && !section.has("temperature"))
    section.mistake(section.place_of("unit"),
                    fmt::format("unit 'kT' in {} needs 'temperature' (a number, greater than 0; unit: temperature)",
                                section.name()));
  if (choices.unit != MapUnit::thermal && section.has("temperature"))
    section.mistake(section.place_of("temperature"),
                    fmt::format("{} is not used by unit '{}' (used by: kT)", section.name_of("temperature"),
                                word_of_value(kMapUnitWords, choices.unit)));
}

void read_file(SectionReader& section, const FormCatalog& catalog, std::string_view trajectory, MapConfig& map) {
  const std::optional<std::string> name = section.text("file");
  if (!name) return;
  const SourcePlace& place = section.find("file")->value_place;
  if (*name == trajectory || std::find(kOtherFiles.begin(), kOtherFiles.end(), *name) != kOtherFiles.end())
    section.mistake(place,
                    fmt::format("{} is {}, another file of the run (choose another name, such as \"potential.dx\")",
                                section.name_of("file"), in_quotes(*name)));
  else
    check_output_name(section, "file", *name, catalog.written_maps);
  map.file = *name;
}

}  // namespace

MapConfig read_map_section(const TomlSection& toml, const FormCatalog& catalog, UnitSystem units,
                           std::string_view trajectory, MistakeList& mistakes) {
  SectionReader section(toml, mistakes);
  MapConfig map;
  const MapLengths lengths = default_map_lengths(units);
  map.choices.spacing = {lengths.spacing, lengths.spacing, lengths.spacing};
  map.choices.padding = lengths.padding;
  map.choices.nearest = lengths.nearest;
  map.every = section.whole_number("every").value_or(map.every);
  read_grid(section, map.choices);
  read_method(section, catalog.map, units, map.choices);
  read_unit(section, units, map.choices);
  map.average = section.boolean("average").value_or(map.average);
  read_file(section, catalog, trajectory, map);
  section.report_unknown_keys();
  return map;
}

}  // namespace dropmd

#include "inputs/run_file/settings/setting.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/terminal_text.h"
#include "inputs/run_file/settings/replaced_keys.h"
#include "inputs/text_source.h"

namespace dropmd {

namespace {

constexpr std::string_view kSpecies = "species";

TomlSection& section_named(TomlDocument& document, const Setting& setting) {
  if (setting.section.empty()) return document.top;
  if (TomlSection* const section = find_section(document, setting.section)) return *section;
  document.sections.push_back({setting.section, setting.place});
  return document.sections.back();
}

/// sigma and r-min give the same length in two ways.
std::string_view other_size(std::string_view key) {
  if (key == "sigma") return "r-min";
  return key == "r-min" ? "sigma" : "";
}

bool is_of_the_file(const TomlEntry& entry) { return entry.key_place.line > 0; }  // an option has no lines

void put(TomlSection& section, TomlEntry entry) {
  std::erase_if(section.entries, [other = other_size(entry.key)](const TomlEntry& given) {
    return given.key == other && is_of_the_file(given);
  });
  if (TomlEntry* const old = find_entry(section, entry.key))
    *old = std::move(entry);
  else
    section.entries.push_back(std::move(entry));
}

bool has_name(const TomlSection& item, std::string_view name) {
  return std::any_of(item.entries.begin(), item.entries.end(), [&](const TomlEntry& entry) {
    const auto* const text = std::get_if<std::string>(&entry.value);
    return entry.key == "name" && text != nullptr && *text == name;
  });
}

/// The key of a setting of a species is "NAME.KEY".
void put_into_species(const Setting& setting, TomlDocument& document) {
  const std::size_t dot = setting.key.rfind('.');
  const std::string name = dot == std::string::npos ? "" : setting.key.substr(0, dot);
  const std::string key = dot == std::string::npos ? setting.key : setting.key.substr(dot + 1);
  for (TomlSection& item : document.list_items)
    if (item.name == kSpecies && has_name(item, name))
      return put(item, {key, setting.value, setting.place, setting.place});
  throw InputError(
      setting.place,
      name.empty()
          ? "[[species]] is a list (write species.NAME.KEY=VALUE)"
          : fmt::format("there is no [[species]] named {} (only species in the run file can be given other values)",
                        in_quotes(name)));
}

std::string without_blanks_round(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

Setting parse_setting(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string path = without_blanks_round(text.substr(0, equals));
  const std::size_t dot = path.find('.');
  Setting setting;
  setting.place.file = option + ' ' + without_commands(text);
  if (dot != std::string::npos) setting.section = path.substr(0, dot);
  setting.key = dot == std::string::npos ? path : path.substr(dot + 1);
  if (equals == std::string::npos || setting.key.empty() || dot == 0)
    throw UsageError(fmt::format("{}: {} is not a setting (write {} SECTION.KEY=VALUE, such as {} run.steps=100)",
                                 option, in_quotes(text), option, option));
  setting.value = toml_value(without_blanks_round(text.substr(equals + 1)));
  return setting;
}

void apply_settings(std::span<const Setting> settings, const FormCatalog& catalog, TomlDocument& document) {
  drop_replaced_keys(settings, catalog, document);
  for (const Setting& setting : settings) {
    if (setting.section == kSpecies)
      put_into_species(setting, document);
    else if (setting.section == "pair")
      throw InputError(setting.place, "[[pair]] is a list (give its entries in the run file)");
    else
      put(section_named(document, setting), {setting.key, setting.value, setting.place, setting.place});
  }
}

}  // namespace dropmd

#include "inputs/run_file/known_sections.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/nearest_word.h"

namespace dropmd {
namespace {

constexpr std::array<std::string_view, 12> kSections = {"system",      "lennard-jones", "born-mayer", "coulomb",
                                                        "constraints", "neighbor",      "engine",     "integrator",
                                                        "run",         "droplet",       "output",     "map"};
constexpr std::array<std::string_view, 2> kLists = {"species", "pair"};
constexpr std::array<std::string_view, 2> kTopKeys = {"title", "units"};

template <class Names>
constexpr bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Returns the sections that every run file may have, and those of external fields.
std::vector<std::string_view> known_sections(const FormCatalog& catalog) {
  std::vector<std::string_view> sections(kSections.begin(), kSections.end());
  auto place = std::find(sections.begin(), sections.end(), "neighbor");  // after the other interactions
  for (const FormSection& field : catalog.fields) place = sections.insert(place, field.name) + 1;
  return sections;
}

/// Returns "(did you mean [wall]?)", or a list of the sections.
std::string sections_hint(std::string_view name, const std::vector<std::string_view>& sections) {
  std::vector<std::string_view> all = sections;
  all.insert(all.end(), kLists.begin(), kLists.end());
  const std::optional<std::string_view> nearest = nearest_word(name, all);
  if (!nearest) return fmt::format("(known: {})", joined(all));
  return contains(kLists, *nearest) ? fmt::format("(did you mean [[{}]]?)", *nearest)
                                    : fmt::format("(did you mean [{}]?)", *nearest);
}

}  // namespace

void report_unknown_sections(const TomlDocument& document, const FormCatalog& catalog, MistakeList& mistakes) {
  const std::vector<std::string_view> sections = known_sections(catalog);
  for (const TomlSection& section : document.sections) {
    if (contains(kLists, section.name))
      mistakes.add(section.place, fmt::format("[{0}] is a list (write [[{0}]])", section.name));
    else if (!contains(sections, section.name))
      mistakes.add(section.place,
                   fmt::format("unknown section [{}] {}", shown(section.name), sections_hint(section.name, sections)));
  }
  for (const TomlSection& item : document.list_items) {
    if (contains(sections, item.name))
      mistakes.add(item.place, fmt::format("[[{0}]] is not a list (write [{0}])", item.name));
    else if (!contains(kLists, item.name))
      mistakes.add(item.place,
                   fmt::format("unknown section [[{}]] {}", shown(item.name), sections_hint(item.name, sections)));
  }
  for (const TomlEntry& entry : document.top.entries) {
    if (contains(kTopKeys, entry.key)) continue;
    if (contains(sections, entry.key) || contains(kLists, entry.key))
      mistakes.add(entry.value_place,
                   fmt::format("{} is {} (expected: a section)", in_quotes(entry.key), kind_of(entry.value)));
    else
      mistakes.add(entry.key_place, fmt::format("unknown key {} above the sections {}", in_quotes(entry.key),
                                                known_words_hint(entry.key, {kTopKeys.begin(), kTopKeys.end()})));
  }
}

}  // namespace dropmd

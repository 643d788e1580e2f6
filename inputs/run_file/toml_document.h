#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/errors.h"
#include "inputs/text_source.h"

/// A TOML file as plain data with places, two levels deep: sections and their keys. The parser stays in the .cpp.
namespace dropmd {

/// A value of a type that no key takes: a date, a table within a section, a list of other things than strings or
/// numbers.
struct TomlOther {
  std::string_view kind;
};

/// An empty list is one of strings; numbers are whole where all of them are written so.
using TomlValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>,
                               std::vector<std::int64_t>, std::vector<double>, TomlOther>;

/// The type in words: "a string", "a whole number", ...
std::string_view kind_of(const TomlValue& value);

struct TomlEntry {
  std::string key;
  TomlValue value;
  SourcePlace key_place{};
  SourcePlace value_place{};
};

struct TomlSection {
  std::string name;     ///< empty: the keys above all sections
  SourcePlace place{};  ///< of its header
  bool is_list_item = false;
  std::vector<TomlEntry> entries{};
};

struct TomlDocument {
  TomlSection top;
  std::vector<TomlSection> sections;    ///< [name]
  std::vector<TomlSection> list_items;  ///< [[name]], those of one name in the order of the file
};

/// The entry of a key, or nullptr. Section: TomlSection, which may be const.
template <class Section>
auto* find_entry(Section& section, std::string_view key) {
  const auto found = std::find_if(section.entries.begin(), section.entries.end(),
                                  [key](const TomlEntry& entry) { return entry.key == key; });
  return found == section.entries.end() ? nullptr : &*found;
}

/// [name], or nullptr. Document: TomlDocument, which may be const.
template <class Document>
auto* find_section(Document& document, std::string_view name) {
  const auto found = std::find_if(document.sections.begin(), document.sections.end(),
                                  [name](const TomlSection& section) { return section.name == name; });
  return found == document.sections.end() ? nullptr : &*found;
}

/// The value that a text is in TOML; the text itself, as a string, where it is none.
TomlValue toml_value(const std::string& text);

/// Parses TOML 1.0. Throws InputError with the place of a syntax error.
TomlDocument parse_toml(const TextSource& source);

}  // namespace dropmd

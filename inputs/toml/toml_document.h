#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/errors.h"
#include "inputs/text_source.h"

/// A TOML file as plain data with places, two levels deep: sections and their keys. Only the .cpp includes the parser.
namespace dropmd {

/// A value of a type that no key takes: a date, a table within a section, or a list of anything but strings or numbers.
struct TomlOther {
  /// The type in words.
  std::string_view kind;
};

/// The value of a key. An empty list is a list of strings; numbers are whole if all of them are written as whole
/// numbers.
using TomlValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>,
                               std::vector<std::int64_t>, std::vector<double>, TomlOther>;

/// Returns the type in words: "a string", "a whole number", ...
std::string_view kind_of(const TomlValue& value);

/// A key and its value, with their places in the file.
struct TomlEntry {
  std::string key;
  TomlValue value;
  SourcePlace key_place{};
  SourcePlace value_place{};
};

/// A section, or one item of a list of sections, with its keys in the order of the file.
struct TomlSection {
  std::string name;     ///< empty: the keys above all sections
  SourcePlace place{};  ///< of the header
  /// Whether it was written as [[name]].
  bool is_list_item = false;
  /// Keys and their values.
  std::vector<TomlEntry> entries{};
};

/// A whole file.
struct TomlDocument {
  /// Keys above all sections.
  TomlSection top;
  std::vector<TomlSection> sections;  ///< [name]
  /// [[name]]; items of the same name are in the order of the file.
  std::vector<TomlSection> list_items;
};

/// Returns the entry of a key, or nullptr. Section: TomlSection, which may be const.
template <class Section>
auto* find_entry(Section& section, std::string_view key) {
  const auto found = std::find_if(section.entries.begin(), section.entries.end(),
                                  [key](const TomlEntry& entry) { return entry.key == key; });
  return found == section.entries.end() ? nullptr : &*found;
}

/// Returns the section [name], or nullptr. Document: TomlDocument, which may be const.
template <class Document>
auto* find_section(Document& document, std::string_view name) {
  const auto found = std::find_if(document.sections.begin(), document.sections.end(),
                                  [name](const TomlSection& section) { return section.name == name; });
  return found == document.sections.end() ? nullptr : &*found;
}

/// Returns the value that a text has in TOML, or the text itself as a string if it is not a TOML value.
TomlValue toml_value(const std::string& text);

/// Parses TOML 1.0. Throws InputError with the place of a syntax error.
TomlDocument parse_toml(const TextSource& source);

}  // namespace dropmd

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/forms/number_rule.h"
#include "core/vec3.h"
#include "inputs/nearest_word.h"
#include "inputs/run_file/choice_words.h"
#include "inputs/run_file/mistake_list.h"
#include "inputs/run_file/number_tables.h"
#include "inputs/toml/toml_document.h"

namespace dropmd {

/// Typed access to the keys of one section of a run file. A wrong value is reported as a mistake and counts as left
/// out. A key that no function asked for is reported as unknown.
class SectionReader {
 public:
  /// Reads from a section and adds mistakes to the list; both must outlive the reader.
  SectionReader(const TomlSection& section, MistakeList& mistakes) : section_(section), mistakes_(mistakes) {}

  /// The value of a key in its type; nullopt if it is left out or wrong.
  std::optional<double> number(std::string_view key, NumberRule rule);
  std::optional<std::int64_t> whole_number(std::string_view key, WholeRule rule = {});
  std::optional<std::string> text(std::string_view key);
  std::optional<std::vector<std::string>> text_list(std::string_view key);
  std::optional<bool> boolean(std::string_view key);
  /// The same for lists of three: x, y and z.
  std::optional<Vec3<double>> vector(std::string_view key, NumberRule rule);
  std::optional<Vec3<std::int32_t>> whole_vector(std::string_view key, std::int32_t least);

  /// Reads the numbers of a table (inputs/run_file/number_tables.h) into the holder; those that are left out keep their
  /// value.
  template <class Table, class Holder>
  void numbers(const Table& table, Holder& holder) {
    for_each_number(table, [&](const auto& setting) {
      using Number = std::remove_cvref_t<decltype(holder.*setting.member)>;
      if constexpr (std::is_same_v<decltype(setting.rule), WholeRule>) {
        if (const auto value = whole_number(setting.key, setting.rule))
          holder.*setting.member = static_cast<Number>(*value);
      } else if (const auto value = number(setting.key, setting.rule)) {
        holder.*setting.member = *value;
      }
    });
  }

  /// The choice for a word (inputs/run_file/choice_words.h); nullopt if it is left out or unknown.
  template <class Words>
  auto choice(std::string_view key, const Words& words) -> std::optional<decltype(words.front().value)> {
    const std::optional<std::string> word = text(key);
    if (!word) return std::nullopt;
    const auto value = value_of_word(words, *word);
    if (!value) unknown_word(key, *word, all_words(words));
    return value;
  }

  /// Returns the entry of a key, or nullptr, and marks the key as known.
  const TomlEntry* find(std::string_view key);
  /// Whether the section has the key, which is marked as known.
  bool has(std::string_view key) { return find(key) != nullptr; }

  /// Returns the first entry whose key no function asked for and which most likely means `key`, or nullptr.
  const TomlEntry* misspelt(std::string_view key) const;

  /// Returns "'key' in [section]".
  std::string name_of(std::string_view key) const;
  /// Returns "[section]", "[[list]]", or "the run file" for the keys above all sections.
  std::string name() const;
  /// Place of the section's header.
  const SourcePlace& place() const { return section_.place; }
  /// Place of the key, or of the section's header if the key is left out.
  SourcePlace place_of(std::string_view key);

  /// Reports a mistake at a place.
  void mistake(const SourcePlace& place, const std::string& message) { mistakes_.add(place, message); }
  /// Reports a required key that is missing.
  void missing(std::string_view key, std::string_view remedy);
  /// Reports an unknown word, with the nearest of the known ones.
  void unknown_word(std::string_view key, std::string_view word, const std::vector<std::string_view>& known);
  /// Reports a value whose type is not the expected one.
  void wrong_type(const TomlEntry& entry, std::string_view expected);
  /// Reports keys that no function asked for.
  void report_unknown_keys();

 private:
  bool is_known(std::string_view key) const;
  template <class Number>
  bool has_three(const TomlEntry& entry, const std::vector<Number>& values);

  const TomlSection& section_;
  MistakeList& mistakes_;
  std::vector<std::string_view> known_keys_;
};

}  // namespace dropmd

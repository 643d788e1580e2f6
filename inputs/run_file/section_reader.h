#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/number_rule.h"
#include "core/vec3.h"
#include "inputs/nearest_word.h"
#include "inputs/run_file/choice_words.h"
#include "inputs/run_file/mistake_list.h"
#include "inputs/run_file/number_tables.h"
#include "inputs/run_file/toml_document.h"

namespace dropmd {

/// Typed access to the keys of one section of a run file. A mistake goes to the list, and the value counts as left out.
/// A key that nobody asked for is unknown.
class SectionReader {
 public:
  SectionReader(const TomlSection& section, MistakeList& mistakes) : section_(section), mistakes_(mistakes) {}

  std::optional<double> number(std::string_view key, NumberRule rule);
  std::optional<std::int64_t> whole_number(std::string_view key, WholeRule rule = {});
  std::optional<std::string> text(std::string_view key);
  std::optional<std::vector<std::string>> text_list(std::string_view key);
  std::optional<bool> boolean(std::string_view key);
  /// Lists of three: x, y and z.
  std::optional<Vec3<double>> vector(std::string_view key, NumberRule rule);
  std::optional<Vec3<std::int32_t>> whole_vector(std::string_view key, std::int32_t least);

  /// The numbers of a table (inputs/run_file/number_tables.h); what is left out stays as it is.
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

  /// One of the words of a choice (inputs/run_file/choice_words.h).
  template <class Words>
  auto choice(std::string_view key, const Words& words) -> std::optional<decltype(words.front().value)> {
    const std::optional<std::string> word = text(key);
    if (!word) return std::nullopt;
    const auto value = value_of_word(words, *word);
    if (!value) unknown_word(key, *word, all_words(words));
    return value;
  }

  /// The entry of a key, or nullptr; the key counts as known from now on.
  const TomlEntry* find(std::string_view key);
  bool has(std::string_view key) { return find(key) != nullptr; }

  /// "'key' in [section]".
  std::string name_of(std::string_view key) const;
  /// "[section]", "[[list]]" or "the run file" for the keys above all sections.
  std::string name() const;
  const SourcePlace& place() const { return section_.place; }
  /// Of the key, or of the section's header if the key is left out.
  SourcePlace place_of(std::string_view key);

  void mistake(const SourcePlace& place, const std::string& message) { mistakes_.add(place, message); }
  void missing(std::string_view key, std::string_view remedy);
  void unknown_word(std::string_view key, std::string_view word, const std::vector<std::string_view>& known);
  void wrong_type(const TomlEntry& entry, std::string_view expected);
  void report_unknown_keys();

 private:
  template <class Number>
  bool has_three(const TomlEntry& entry, const std::vector<Number>& values);

  const TomlSection& section_;
  MistakeList& mistakes_;
  std::vector<std::string_view> known_keys_;
};

}  // namespace dropmd

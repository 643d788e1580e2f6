#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/form.h"
#include "core/vec3.h"
#include "inputs/nearest_word.h"
#include "inputs/run_file/choice_words.h"
#include "inputs/run_file/mistake_list.h"
#include "inputs/run_file/toml_document.h"

namespace dropmd {

/// What a number may be.
struct NumberRule {
  Range range = Range::any;
  bool infinity_allowed = false;
};

/// Typed access to the keys of one section of a run file. A mistake goes to the list, and the value counts as left out.
/// A key that nobody asked for is unknown.
class SectionReader {
 public:
  SectionReader(const TomlSection& section, MistakeList& mistakes) : section_(section), mistakes_(mistakes) {}

  std::optional<double> number(std::string_view key, NumberRule rule);
  std::optional<std::int64_t> whole_number(std::string_view key, std::int64_t least,
                                           std::int64_t most = std::numeric_limits<std::int64_t>::max());
  std::optional<std::string> text(std::string_view key);
  std::optional<std::vector<std::string>> text_list(std::string_view key);
  std::optional<bool> boolean(std::string_view key);
  /// Lists of three: x, y and z.
  std::optional<Vec3<double>> vector(std::string_view key, NumberRule rule);
  std::optional<Vec3<std::int32_t>> whole_vector(std::string_view key, std::int32_t least);

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

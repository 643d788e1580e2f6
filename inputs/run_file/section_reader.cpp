#include "inputs/run_file/section_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace dropmd {
namespace {

std::optional<double> as_number(const TomlValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  return std::nullopt;
}

/// Returns a whole number. Numbers such as 1e6, which TOML reads as decimal numbers, are accepted up to 2^53, beyond
/// which doubles do not represent all whole numbers.
std::optional<std::int64_t> as_whole_number(const TomlValue& value) {
  constexpr double kMost = 9007199254740992.0;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  const auto* const number = std::get_if<double>(&value);
  if (number == nullptr || !(std::abs(*number) <= kMost) || std::trunc(*number) != *number) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

}  // namespace

std::optional<double> SectionReader::number(std::string_view key, NumberRule rule) {
  const TomlEntry* const entry = find(key);
  if (entry == nullptr) return std::nullopt;
  const std::optional<double> value = as_number(entry->value);
  if (!value) {
    wrong_type(*entry, "a number");
    return std::nullopt;
  }
  if (const std::string_view problem = number_problem(*value, rule); !problem.empty()) {
    mistake(entry->value_place, fmt::format("{} is {} ({})", name_of(key), *value, problem));
    return std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> SectionReader::whole_number(std::string_view key, WholeRule rule) {
  const TomlEntry* const entry = find(key);
  if (entry == nullptr) return std::nullopt;
  const std::optional<std::int64_t> value = as_whole_number(entry->value);
  if (!value) {
    wrong_type(*entry, "a whole number");
    return std::nullopt;
  }
  if (const std::string problem = whole_number_problem(*value, rule); !problem.empty()) {
    mistake(entry->value_place, fmt::format("{} is {} ({})", name_of(key), *value, problem));
    return std::nullopt;
  }
  return *value;
}

std::optional<std::string> SectionReader::text(std::string_view key) {
  const TomlEntry* const entry = find(key);
  if (entry == nullptr) return std::nullopt;
  if (const auto* value = std::get_if<std::string>(&entry->value)) return *value;
  wrong_type(*entry, "a string");
  return std::nullopt;
}

std::optional<std::vector<std::string>> SectionReader::text_list(std::string_view key) {
  const TomlEntry* const entry = find(key);
  if (entry == nullptr) return std::nullopt;
  if (const auto* value = std::get_if<std::vector<std::string>>(&entry->value)) return *value;
  wrong_type(*entry, "a list of strings");
  return std::nullopt;
}

std::optional<bool> SectionReader::boolean(std::string_view key) {
  const TomlEntry* const entry = find(key);
  if (entry == nullptr) return std::nullopt;
  if (const auto* value = std::get_if<bool>(&entry->value)) return *value;
  wrong_type(*entry, "true or false");
  return std::nullopt;
}

template <class Number>
bool SectionReader::has_three(const TomlEntry& entry, const std::vector<Number>& values) {
  if (values.size() == 3) return true;
  mistake(entry.value_place,
          fmt::format("{} has length {} (give three numbers: x, y and z)", name_of(entry.key), values.size()));
  return false;
}

std::optional<Vec3<double>> SectionReader::vector(std::string_view key, NumberRule rule) {
  const TomlEntry* const entry = find(key);
  if (entry == nullptr) return std::nullopt;
  std::vector<double> values;
  if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&entry->value)) {
    values.assign(whole->begin(), whole->end());
  } else if (const auto* numbers = std::get_if<std::vector<double>>(&entry->value)) {
    values = *numbers;
  } else {
    wrong_type(*entry, "a list of three numbers");
    return std::nullopt;
  }
  if (!has_three(*entry, values)) return std::nullopt;
  for (const double value : values)
    if (const std::string_view problem = number_problem(value, rule); !problem.empty()) {
      mistake(entry->value_place, fmt::format("a number of {} is {} ({})", name_of(key), value, problem));
      return std::nullopt;
    }
  return Vec3<double>{values[0], values[1], values[2]};
}

std::optional<Vec3<std::int32_t>> SectionReader::whole_vector(std::string_view key, std::int32_t least) {
  const WholeRule rule{least, std::numeric_limits<std::int32_t>::max()};
  const TomlEntry* const entry = find(key);
  if (entry == nullptr) return std::nullopt;
  const auto* const values = std::get_if<std::vector<std::int64_t>>(&entry->value);
  if (values == nullptr) {
    wrong_type(*entry, "a list of three whole numbers");
    return std::nullopt;
  }
  if (!has_three(*entry, *values)) return std::nullopt;
  for (const std::int64_t value : *values)
    if (const std::string problem = whole_number_problem(value, rule); !problem.empty()) {
      mistake(entry->value_place, fmt::format("a number of {} is {} ({})", name_of(key), value, problem));
      return std::nullopt;
    }
  const auto at = [&](std::size_t axis) { return static_cast<std::int32_t>((*values)[axis]); };
  return Vec3<std::int32_t>{at(0), at(1), at(2)};
}

const TomlEntry* SectionReader::find(std::string_view key) {
  if (!is_known(key)) known_keys_.push_back(key);
  return find_entry(section_, key);
}

bool SectionReader::is_known(std::string_view key) const {
  return std::find(known_keys_.begin(), known_keys_.end(), key) != known_keys_.end();
}

const TomlEntry* SectionReader::misspelt(std::string_view key) const {
  for (const TomlEntry& entry : section_.entries)
    if (!is_known(entry.key) && nearest_word(entry.key, known_keys_) == key) return &entry;
  return nullptr;
}

std::string SectionReader::name() const {
  if (section_.name.empty()) return "the run file";
  return section_.is_list_item ? fmt::format("[[{}]]", section_.name) : fmt::format("[{}]", section_.name);
}

std::string SectionReader::name_of(std::string_view key) const {
  return section_.name.empty() ? in_quotes(key) : fmt::format("{} in {}", in_quotes(key), name());
}

SourcePlace SectionReader::place_of(std::string_view key) {
  const TomlEntry* const entry = find(key);
  return entry == nullptr ? section_.place : entry->key_place;
}

void SectionReader::missing(std::string_view key, std::string_view remedy) {
  mistake(section_.place, fmt::format("{} has no '{}' ({})", name(), key, remedy));
}

void SectionReader::unknown_word(std::string_view key, std::string_view word,
                                 const std::vector<std::string_view>& known) {
  const TomlEntry* const entry = find(key);
  mistake(entry == nullptr ? section_.place : entry->value_place,
          fmt::format("unknown {} {} in {} {}", key, in_quotes(word), name(), known_words_hint(word, known)));
}

void SectionReader::wrong_type(const TomlEntry& entry, std::string_view expected) {
  mistake(entry.value_place,
          fmt::format("{} is {} (expected: {})", name_of(entry.key), kind_of(entry.value), expected));
}

void SectionReader::report_unknown_keys() {
  for (const TomlEntry& entry : section_.entries)
    if (!is_known(entry.key))
      mistake(entry.key_place, fmt::format("unknown key {} in {} {}", in_quotes(entry.key), name(),
                                           known_words_hint(entry.key, known_keys_)));
}

}  // namespace dropmd

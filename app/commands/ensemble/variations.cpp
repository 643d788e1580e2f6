#include "app/commands/ensemble/variations.h"

#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "core/errors.h"
#include "core/terminal_text.h"
#include "inputs/line_reader.h"

namespace dropmd {

namespace {

constexpr const char* kOption = "--vary";

/// Divides a text at the commas that are not within brackets or quotes.
std::vector<std::string> divided(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = 0;
  bool is_escaped = false;  // TOML has escapes in double quotes
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote && !is_escaped) quote = 0;
      is_escaped = c == '\\' && quote == '"' && !is_escaped;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == ']') {
      depth += c == '[' ? 1 : -1;
    } else if (c == ',' && depth == 0) {
      parts.emplace_back();
      continue;
    }
    parts.back() += c;
  }
  return parts;
}

std::optional<double> number_in(const TomlValue& value) {
  if (const double* const real = std::get_if<double>(&value)) return *real;
  if (const std::int64_t* const whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::nullopt;
}

bool are_same_number(const TomlValue& a, const TomlValue& b) {
  const std::optional<double> number = number_in(a);
  return number && number == number_in(b);
}

}  // namespace

Variation parse_variation(const std::string& text) {
  const auto fail = [&](const std::string& what) {
    throw UsageError(fmt::format("{}: {} {} ({} SECTION.KEY=A,B,C, such as {} wall.radius=30,40)", kOption,
                                 in_quotes(text), what, kOption, kOption));
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) fail("has no values");
  Variation variation;
  for (const std::string& part : divided(text.substr(equals + 1))) {
    const std::string value(trimmed(part));
    if (value.empty()) fail("has an empty value");
    Setting setting = parse_setting(kOption, text.substr(0, equals + 1) + value);
    for (std::size_t k = 0; k < variation.values.size(); ++k)
      if (variation.values[k] == value || are_same_number(variation.settings[k].value, setting.value))
        fail(fmt::format("has the value {} twice", value));
    variation.settings.push_back(std::move(setting));
    variation.values.push_back(value);
  }
  const Setting& first = variation.settings.front();
  variation.key = first.section.empty() ? first.key : first.section + '.' + first.key;
  if (variation.key == "units") fail("varies the units, in which ensemble.csv compares the runs");
  if (first.section == "output") fail("varies an output, which the folder of each run has under the same name");
  return variation;
}

std::vector<std::vector<std::size_t>> combinations_of(std::span<const Variation> variations) {
  std::vector<std::vector<std::size_t>> combinations(1);
  for (const Variation& variation : variations) {
    std::vector<std::vector<std::size_t>> longer;
    for (const std::vector<std::size_t>& combination : combinations)
      for (std::size_t value = 0; value < variation.values.size(); ++value) {
        longer.push_back(combination);
        longer.back().push_back(value);
      }
    combinations = std::move(longer);
  }
  return combinations;
}

}  // namespace dropmd

#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "app/options.h"
#include "core/errors.h"

/// Parses numbers of the command line. Options with a number are declared as text, so that messages can name the
/// option.
namespace dropmd {

/// Returns the number of a text such as 1e6 if it is whole and at least 0; nullopt for anything else.
std::optional<double> whole_with_exponent(const std::string& text);

/// Whether a text is a negative number.
bool is_below_zero(const std::string& text);

template <std::integral Integer>
Integer whole_number(const std::string& option, const std::string& text, Integer least) {
  Integer value{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  bool in_range = error != std::errc::result_out_of_range, whole = error == std::errc{} && rest == end;
  if (in_range && !whole) {
    constexpr double kBeyond = static_cast<double>(std::numeric_limits<Integer>::max());
    const std::optional<double> written = whole_with_exponent(text);
    whole = written.has_value();
    in_range = !whole || std::abs(*written) < kBeyond;
    if (whole && in_range) value = static_cast<Integer>(*written);
  }
  if (!in_range) throw UsageError("--" + option + " " + text + " is out of range");
  if (!whole && !is_below_zero(text))
    throw UsageError("--" + option + ": '" + text + "' is not a whole number (such as 100 or 1e6)");
  if (!whole || value < least)
    throw UsageError("--" + option + " " + text + " is too small (at least " + std::to_string(least) + ")");
  return value;
}

/// Returns the value of an option that was given; throws UsageError unless it is a whole number of at least `least`.
template <std::integral Integer>
Integer whole_option(const GivenOptions& options, const std::string& name, Integer least) {
  return whole_number(name, options.text(name), least);
}

/// Returns the values of an option that takes several, each as above, or `usual`.
template <std::integral Integer>
std::vector<Integer> whole_options(const GivenOptions& options, const std::string& name, Integer least,
                                   std::vector<Integer> usual) {
  if (!options.has(name)) return usual;
  std::vector<Integer> values;
  for (const std::string& text : options.list(name)) values.push_back(whole_number(name, text, least));
  return values;
}

enum class Zero { allowed, excluded };

/// Returns the value of an option that was given; throws UsageError unless it is a finite number, not negative, and not
/// zero if that is excluded.
double real_option(const GivenOptions& options, const std::string& name, Zero zero);
/// Returns the values of an option that takes several, none of which may be zero.
std::vector<double> real_options(const GivenOptions& options, const std::string& name);

}  // namespace dropmd

#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <vector>

#include "app/options.h"
#include "core/errors.h"

/// Numbers of the command line. Options that take one are declared as text, so that a message can name the option.
namespace dropmd {

template <std::integral Integer>
Integer whole_number(const std::string& option, const std::string& text, Integer least) {
  Integer value{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) throw UsageError("--" + option + " " + text + " is out of range");
  if (error != std::errc{} || rest != end)
    throw UsageError("--" + option + ": '" + text + "' is no whole number (such as 100)");
  if (value < least)
    throw UsageError("--" + option + " " + text + " is too small (" + std::to_string(least) + " or more)");
  return value;
}

/// The value of an option that was given; throws UsageError unless it is a whole number of at least `least`.
template <std::integral Integer>
Integer whole_option(const GivenOptions& options, const std::string& name, Integer least) {
  return whole_number(name, options.text(name), least);
}

/// The values of an option that takes several, each as above; `usual` where it was not given.
template <std::integral Integer>
std::vector<Integer> whole_options(const GivenOptions& options, const std::string& name, Integer least,
                                   std::vector<Integer> usual) {
  if (!options.has(name)) return usual;
  std::vector<Integer> values;
  for (const std::string& text : options.list(name)) values.push_back(whole_number(name, text, least));
  return values;
}

enum class Zero { allowed, excluded };

/// The value of an option that was given; throws UsageError unless it is a finite number, not negative, and not zero
/// where that is excluded.
double real_option(const GivenOptions& options, const std::string& name, Zero zero);

}  // namespace dropmd

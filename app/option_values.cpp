#include "app/option_values.h"

#include <cmath>

namespace dropmd {

std::optional<double> whole_with_exponent(const std::string& text) {
  if (text.find_first_of("eE") == std::string::npos) return std::nullopt;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end || !(value >= 0) || std::trunc(value) != value) return std::nullopt;
  return value;
}

bool is_below_zero(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && rest == end && value < 0;
}

namespace {

double real_number(const std::string& name, const std::string& text, Zero zero) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || rest != end)
    throw UsageError("--" + name + ": '" + text + "' is not a number (expected: a decimal number such as 0.07)");
  if (error != std::errc{} || !std::isfinite(value) || value < 0 || (value == 0 && zero == Zero::excluded))
    throw UsageError("--" + name + " " + text + " is out of range (it must be a finite number, " +
                     (zero == Zero::allowed ? "at least 0" : "more than 0") + ")");
  return value;
}

}  // namespace

double real_option(const GivenOptions& options, const std::string& name, Zero zero) {
  return real_number(name, options.text(name), zero);
}

std::vector<double> real_options(const GivenOptions& options, const std::string& name) {
  std::vector<double> values;
  for (const std::string& text : options.list(name)) values.push_back(real_number(name, text, Zero::excluded));
  return values;
}

}  // namespace dropmd

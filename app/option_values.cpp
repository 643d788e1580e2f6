#include "app/option_values.h"

#include <cmath>

namespace dropmd {

double real_option(const GivenOptions& options, const std::string& name, Zero zero) {
  const std::string& text = options.text(name);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || rest != end)
    throw UsageError("--" + name + ": '" + text + "' is no number (a decimal number such as 0.07)");
  if (error != std::errc{} || !std::isfinite(value) || value < 0 || (value == 0 && zero == Zero::excluded))
    throw UsageError("--" + name + " " + text + " is out of range (a finite number, " +
                     (zero == Zero::allowed ? "0 or more" : "more than 0") + ")");
  return value;
}

}  // namespace dropmd

#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

/// The values that a number may take, whether it is set in a run file or in code.
namespace dropmd {

/// A range of real numbers.
enum class Range { any, positive, not_negative };

/// The values that a real number may take.
struct NumberRule {
  Range range = Range::any;
  bool infinity_allowed = false;  ///< whether it may be infinite
};

/// Returns what is wrong with a number; empty if nothing is.
inline std::string_view number_problem(double value, NumberRule rule) {
  if (std::isnan(value)) return "it must be a number";
  if (std::isinf(value) && !rule.infinity_allowed) return "it must be finite";
  if (rule.range == Range::positive && value <= 0) return "it must be greater than 0";
  if (rule.range == Range::not_negative && value < 0) return "it must be at least 0";
  return {};
}

/// The values that a whole number may take.
struct WholeRule {
  std::int64_t least = 0;                                        ///< lower limit
  std::int64_t most = std::numeric_limits<std::int64_t>::max();  ///< upper limit; the default: none
};

/// Returns what is wrong with a whole number; empty if nothing is.
inline std::string whole_number_problem(std::int64_t value, WholeRule rule) {
  if (value >= rule.least && value <= rule.most) return {};
  if (rule.most == WholeRule{}.most) return "it must be at least " + std::to_string(rule.least);
  return "it must be from " + std::to_string(rule.least) + " to " + std::to_string(rule.most);
}

}  // namespace dropmd

#pragma once

#include <cstdint>
#include <optional>

namespace dropmd {

/// Steps per second since `start`, a time in seconds of some clock at which a run had performed `first_step` steps.
struct StepRate {
  std::int64_t first_step = 0;
  double start = 0;

  /// Returns the rate; nullopt before there is one.
  std::optional<double> per_second(std::int64_t step, double now) const {
    if (step <= first_step || now <= start) return std::nullopt;
    return static_cast<double>(step - first_step) / (now - start);
  }
  /// Returns the seconds to the last step at this rate; nullopt in the first second, as the first steps may be much
  /// slower.
  std::optional<double> seconds_left(std::int64_t step, std::int64_t last_step, double now) const {
    constexpr double kTooEarly = 1;
    const std::optional<double> rate = per_second(step, now);
    if (!rate || (step < last_step && now - start < kTooEarly)) return std::nullopt;
    return static_cast<double>(last_step - step) / *rate;
  }
};

}  // namespace dropmd

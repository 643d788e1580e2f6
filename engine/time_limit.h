#pragma once

#include <algorithm>
#include <utility>

#include "core/clock.h"

namespace dropmd {

/// Wall time that a run may take: it is to end early enough for the step under way, a checkpoint and its other outputs.
/// What these take is measured as it goes.
class TimeLimit {
 public:
  /// seconds: of the limit; spent: already; to_save: what the end takes until a checkpoint has been timed.
  TimeLimit(double seconds, double spent, double to_save, Clock clock = steady_seconds)
      : seconds_(seconds),
        clock_(std::move(clock)),
        start_(clock_() - spent),
        last_(clock_()),
        longest_save_(to_save) {}

  /// To be asked between steps, as often as the run can stop: whether it has to.
  bool reached() {
    const double now = clock_();
    longest_step_ = std::max(longest_step_, now - std::exchange(last_, now));
    return now - start_ + margin() >= seconds_;
  }

  void saved(double seconds) {
    longest_save_ = has_saved_ ? std::max(longest_save_, seconds) : seconds;
    has_saved_ = true;
  }

  /// Twice the longest of what is measured, and 1% of the limit, a minute at most, for what is not: a machine's other
  /// users, or the end of the program.
  double margin() const {
    constexpr double kShare = 0.01, kMost = 60;
    return 2 * (longest_step_ + longest_save_) + std::min(kShare * seconds_, kMost);
  }

 private:
  double seconds_;
  Clock clock_;
  double start_, last_;
  double longest_step_ = 0, longest_save_;
  bool has_saved_ = false;
};

}  // namespace dropmd

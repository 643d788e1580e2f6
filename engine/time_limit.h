#pragma once

#include <algorithm>
#include <utility>

#include "core/clock.h"

namespace dropmd {

/// The wall time that a run may take: it must end early enough to complete the current step, a checkpoint and its other
/// outputs. The times that these take are measured during the run.
class TimeLimit {
 public:
  /// seconds: of the limit; spent: seconds used so far; to_save: seconds that the end is assumed to take until a
  /// checkpoint has been timed.
  TimeLimit(double seconds, double spent, double to_save, Clock clock = steady_seconds)
      : seconds_(seconds),
        clock_(std::move(clock)),
        start_(clock_() - spent),
        last_(clock_()),
        longest_save_(to_save) {}

  /// Returns whether the run has to stop; to be called between steps, as often as the run can stop.
  bool reached() {
    const double now = clock_();
    longest_step_ = std::max(longest_step_, now - std::exchange(last_, now));
    return now - start_ + margin() >= seconds_;
  }

  /// Reports the seconds that a checkpoint took.
  void saved(double seconds) {
    longest_save_ = has_saved_ ? std::max(longest_save_, seconds) : seconds;
    has_saved_ = true;
  }

  /// Twice the longest measured times; that of steps once more, since a GPU may have begun other steps beside the
  /// present ones; and 1% of the limit, at most a minute, for what is not measured: other users of the machine, or the
  /// end of the program.
  double margin() const {
    constexpr double kShare = 0.01, kMost = 60;
    return 3 * longest_step_ + 2 * longest_save_ + std::min(kShare * seconds_, kMost);
  }

 private:
  double seconds_;
  Clock clock_;
  double start_, last_;
  double longest_step_ = 0, longest_save_;
  bool has_saved_ = false;
};

}  // namespace dropmd

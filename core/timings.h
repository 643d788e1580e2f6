#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "core/clock.h"

namespace dropmd {

/// Wall time by phase of a run. Each moment belongs to at most one phase: an inner Scope interrupts the one around it,
/// so the phases never add up to more than the total. For the thread that drives the run; not synchronised.
class Timings {
 public:
  /// The time of one phase.
  struct Phase {
    std::string_view name;
    double seconds = 0;
  };

  /// clock: supplied by tests.
  explicit Timings(Clock clock = steady_seconds) : clock_(std::move(clock)), start_(clock_()), last_(start_) {}

  /// Adds the time from its construction to its destruction to a phase. `name` must outlive the Timings: a string
  /// literal.
  class Scope {
   public:
    Scope(Timings& timings, std::string_view name) : timings_(timings), outer_(timings.enter(timings.index_of(name))) {}
    ~Scope() { timings_.enter(outer_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Timings& timings_;
    std::size_t outer_;
  };

  /// Phases in the order of their first use; an open phase counts up to its latest change.
  const std::vector<Phase>& phases() const { return phases_; }

  /// Seconds since construction.
  double total_seconds() const { return clock_() - start_; }

 private:
  static constexpr std::size_t kNoPhase = static_cast<std::size_t>(-1);

  /// Returns the index of a phase by linear search, as a run has about ten phases.
  std::size_t index_of(std::string_view name) {
    const auto found =
        std::find_if(phases_.begin(), phases_.end(), [name](const Phase& phase) { return phase.name == name; });
    if (found != phases_.end()) return static_cast<std::size_t>(found - phases_.begin());
    phases_.push_back({name, 0.0});
    return phases_.size() - 1;
  }

  /// Adds the time since the last change to the current phase and makes `phase` the current one; returns the previous
  /// phase.
  std::size_t enter(std::size_t phase) {
    const double now = clock_();
    if (current_ != kNoPhase) phases_[current_].seconds += now - last_;
    last_ = now;
    return std::exchange(current_, phase);
  }

  Clock clock_;
  double start_;
  double last_;
  std::size_t current_ = kNoPhase;
  std::vector<Phase> phases_;
};

}  // namespace dropmd

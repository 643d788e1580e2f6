#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/clock.h"
#include "core/timings.h"
#include "engine/executors/executor.h"
#include "engine/methods/method_source.h"

namespace dropmd {

/// The method in use, and its changes from step to step as a source says.
class MethodSwitching {
 public:
  using Hook = std::function<void(const MethodChoice&)>;

  /// source: null where one method makes all steps. timings outlives this.
  MethodSwitching(std::unique_ptr<MethodSource> source, const Method& first, Timings& timings);

  const Method& method() const { return method_; }
  /// The step at which the source is asked next.
  std::int64_t ask_at() const { return ask_at_; }
  /// Whether the source wants to know the time of the steps.
  bool steps_timed() const { return steps_timed_; }

  /// Is told each choice of the source that is another than the one before, and the first.
  void on_switch(Hook hook) { on_switch_ = std::move(hook); }
  /// The run starts at step 0.
  void start();
  /// The run has resumed at a step up to which it was made as `before` says.
  void resume(std::int64_t step, const MethodChoice& before);
  /// From this step on the run has other atoms: another source says how they find their pairs, first in this way.
  void renew(std::unique_ptr<MethodSource> source, const Method& first, std::int64_t step);

  void steps_made(std::int64_t steps, double seconds);
  /// Asks the source at a complete step from which none was started yet, and changes over as it says.
  void ask(Executor& executor, const std::function<StepSums()>& sums);

 private:
  bool try_to_switch(Executor& executor, const MethodChoice& choice, bool may_be_refused);
  void switch_to(Executor& executor, const MethodChoice& choice);

  std::unique_ptr<MethodSource> source_;
  Method method_;
  Timings& timings_;
  Clock clock_ = steady_seconds;
  Hook on_switch_ = [](const MethodChoice&) {};
  StepReport report_;    ///< of the steps since the source's last request
  std::int64_t ask_at_;  ///< never without a source
  bool steps_timed_ = false;
};

}  // namespace dropmd

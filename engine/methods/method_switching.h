#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/clock.h"
#include "core/timings.h"
#include "engine/executors/executor.h"
#include "engine/methods/method_source.h"

namespace dropmd {

/// The method in use, and its changes from step to step as a source requests.
class MethodSwitching {
 public:
  using Hook = std::function<void(const MethodChoice&)>;

  /// source: null if one method performs all steps. timings must outlive this object.
  MethodSwitching(std::unique_ptr<MethodSource> source, const Method& first, Timings& timings);

  const Method& method() const { return method_; }
  /// The step at which the source is asked next.
  std::int64_t ask_at() const { return ask_at_; }
  /// Whether the run can be reproduced only from a record of its choices.
  bool needs_record() const { return source_ && source_->needs_record(); }
  /// Whether the source requests the time of the steps.
  bool steps_timed() const { return steps_timed_; }

  /// hook: receives the first choice of the source, and each that differs from the previous one.
  void on_switch(Hook hook) { on_switch_ = std::move(hook); }
  /// To be called when the run starts at step 0.
  void start();
  /// To be called when the run has resumed at a step up to which its pairs were found as in `before`.
  void resume(std::int64_t step, const MethodChoice& before);
  /// To be called when the run gets other atoms at a step: another source then decides, beginning with the method
  /// `first`.
  void renew(std::unique_ptr<MethodSource> source, const Method& first, std::int64_t step);

  /// Reports steps and their time.
  void steps_made(std::int64_t steps, double seconds);
  /// Asks the source at a complete step, from which no step has been started, and changes the method as requested.
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
  std::int64_t ask_at_;  ///< never, without a source
  bool steps_timed_ = false;
};

}  // namespace dropmd

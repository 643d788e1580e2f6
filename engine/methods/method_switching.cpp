#include "engine/methods/method_switching.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/errors.h"
#include "device/communicator/run_ranks.h"

namespace dropmd {

MethodSwitching::MethodSwitching(std::unique_ptr<MethodSource> source, const Method& first, Timings& timings)
    : source_(std::move(source)),
      method_(first),
      timings_(timings),
      ask_at_(source_ ? 0 : std::numeric_limits<std::int64_t>::max()) {}

void MethodSwitching::start() {
  if (source_) on_switch_(choice_of(method_, 0));
}

void MethodSwitching::resume(std::int64_t step, const MethodChoice& before) {
  if (!source_) return;
  ask_at_ = step;
  if (!(before == choice_of(method_, before.step))) on_switch_(choice_of(method_, step));
}

void MethodSwitching::renew(std::unique_ptr<MethodSource> source, const Method& first, std::int64_t step) {
  const MethodChoice before = choice_of(method_, step);
  source_ = std::move(source);
  method_ = first;
  report_ = {};
  steps_timed_ = false;
  ask_at_ = source_ ? step : std::numeric_limits<std::int64_t>::max();
  if (source_ && !(before == choice_of(method_, step))) on_switch_(choice_of(method_, step));
}

void MethodSwitching::steps_made(std::int64_t steps, double seconds) {
  report_.steps += steps;
  report_.seconds += seconds;
}

void MethodSwitching::ask(Executor& executor, const std::function<StepSums()>& sums) {
  constexpr int kMostRefusals = 20;  // more than there are methods: no source insists forever
  const std::int64_t step = executor.step();
  for (int refusals = 0;; ++refusals) {
    report_.step = step;
    report_.in_use = choice_of(method_, step);
    report_.refused = refusals > 0;
    report_.seconds = from_first(method_.ranks, report_.seconds);
    report_.switch_seconds = from_first(method_.ranks, report_.switch_seconds);
    const MethodRequest request = source_->next(report_, sums);
    report_ = {};
    ask_at_ = std::max(request.until, step + 1);
    steps_timed_ = request.timed;
    const MethodChoice now = choice_of(method_, step);
    if (!request.rebuild && request.choice == now) {
      // The neighbour structure was rebuilt after a refusal, and a replay does the same.
      if (refusals > 0) on_switch_(now);
      return;
    }
    if (try_to_switch(executor, request.choice, source_->takes_refusal() && refusals < kMostRefusals)) return;
  }
}

/// Returns false if the choice was refused; the run is then as before. Among ranks a refusal ends the run: if one rank
/// alone refuses, the others may be waiting for it and could not go back.
bool MethodSwitching::try_to_switch(Executor& executor, const MethodChoice& choice, bool may_be_refused) {
  if (!may_be_refused || method_.ranks != nullptr) {
    switch_to(executor, choice);
    return true;
  }
  const Method before = method_;
  try {
    switch_to(executor, choice);
    return true;
  } catch (const InputError&) {   // the droplet does not suit the method
  } catch (const DeviceError&) {  // too little memory for it
  }
  method_ = before;
  executor.use(before);
  return false;
}

/// To be called at a complete step; the steps after it find their pairs in another way.
void MethodSwitching::switch_to(Executor& executor, const MethodChoice& choice) {
  const Timings::Scope scope(timings_, "changes of method");
  const double begin = clock_();
  method_ = with_choice(method_, choice);
  executor.use(method_);
  report_.switch_seconds = clock_() - begin;
  on_switch_(choice_of(method_, executor.step()));
}

}  // namespace dropmd

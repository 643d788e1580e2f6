#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "engine/observer.h"

namespace dropmd {

/// Calls, at one step, a function that takes its state; other observers see that step, too. A negative step: never.
class StateOf final : public Observer {
 public:
  StateOf(std::int64_t step, std::function<void()> take) : step_(step), take_(std::move(take)) {}
  std::int64_t every() const override { return std::max<std::int64_t>(step_, 1); }
  bool wants_state(std::int64_t step) const override { return step == step_; }
  bool wants_energies(std::int64_t) const override { return false; }
  bool may_end_run(std::int64_t step) const override { return step == step_; }
  void observe(const Snapshot& s) override {
    if (s.step == step_) take_();
  }

 private:
  std::int64_t step_;
  std::function<void()> take_;
};

}  // namespace dropmd

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "engine/observer.h"

namespace dropmd {

/// Calls a function that takes the state of a step, at that step, which other observers see, too; at none if it is
/// negative.
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

#pragma once

#include <vector>

#include "engine/methods/method_source.h"

namespace dropmd {

/// The choices of an earlier run: the same methods for the same steps, hence bitwise identical results.
class ReplayedChoices final : public MethodSource {
 public:
  /// choices: by ascending step, the first at step 0.
  explicit ReplayedChoices(std::vector<MethodChoice> choices) : choices_(std::move(choices)) {}

  MethodChoice first() const override { return choices_.front(); }
  MethodRequest next(const StepReport& report, const std::function<StepSums()>& sums) override;

 private:
  std::vector<MethodChoice> choices_;
};

}  // namespace dropmd

#pragma once

#include <vector>

#include "engine/methods/method_source.h"

namespace dropmd {

/// The choices of an earlier run: the same steps by the same methods, hence the same bytes.
class ReplayedChoices final : public MethodSource {
 public:
  /// choices: by ascending step, the first of step 0.
  explicit ReplayedChoices(std::vector<MethodChoice> choices) : choices_(std::move(choices)) {}

  MethodChoice first() const override { return choices_.front(); }
  MethodRequest next(const StepReport& report, const std::function<StepSums()>& sums) override;

 private:
  std::vector<MethodChoice> choices_;
};

}  // namespace dropmd

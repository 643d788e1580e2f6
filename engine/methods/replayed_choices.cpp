#include "engine/methods/replayed_choices.h"

#include <algorithm>
#include <limits>

namespace dropmd {

MethodOrder ReplayedChoices::next(const StepReport& report, const std::function<StepSums()>&) {
  const auto later = std::upper_bound(choices_.begin(), choices_.end(), report.step,
                                      [](std::int64_t step, const MethodChoice& choice) { return step < choice.step; });
  MethodOrder order{*(later - 1), std::numeric_limits<std::int64_t>::max()};
  order.anew = order.choice.step == report.step && report.step > 0;
  order.choice.step = report.step;
  if (later != choices_.end()) order.until = later->step;
  return order;
}

}  // namespace dropmd

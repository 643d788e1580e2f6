#include "engine/methods/replayed_choices.h"

#include <algorithm>
#include <limits>

namespace dropmd {

MethodRequest ReplayedChoices::next(const StepReport& report, const std::function<StepSums()>&) {
  const auto later = std::upper_bound(choices_.begin(), choices_.end(), report.step,
                                      [](std::int64_t step, const MethodChoice& choice) { return step < choice.step; });
  MethodRequest request{*(later - 1), std::numeric_limits<std::int64_t>::max()};
  request.rebuild = request.choice.step == report.step && report.step > 0;
  request.choice.step = report.step;
  if (later != choices_.end()) request.until = later->step;
  return request;
}

}  // namespace dropmd

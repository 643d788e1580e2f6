#pragma once

#include <cstdint>
#include <functional>

#include "core/method_choice.h"
#include "forces/pair_forces.h"

namespace dropmd {

/// What a run tells at a complete step.
struct StepReport {
  std::int64_t step = 0;
  std::int64_t steps = 0;     ///< made since the last order
  double seconds = 0;         ///< that these took, without outputs
  double switch_seconds = 0;  ///< that it took before them to change over to another method; 0: it was going on
};

struct MethodOrder {
  MethodChoice choice;  ///< its step is the report's
  std::int64_t until;   ///< the step, after the report's, at which to ask again
  bool timed = false;   ///< the time of these steps is wanted
};

/// Says how a run finds its pairs, from step to step.
class MethodSource {
 public:
  virtual ~MethodSource() = default;
  /// Of step 0.
  virtual MethodChoice first() const = 0;
  /// pairs: sums over the pairs at the positions of the report's step; costs up to two steps.
  virtual MethodOrder next(const StepReport& report, const std::function<PairSums()>& pairs) = 0;
};

}  // namespace dropmd

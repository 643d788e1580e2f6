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
  bool refused = false;       ///< the last order cannot be followed here (no room for the method, ...): the run went on
                              ///< as before, and made no step
};

struct MethodOrder {
  MethodChoice choice;  ///< its step is the report's
  std::int64_t until;   ///< the step, after the report's, at which to ask again
  bool timed = false;   ///< the time of these steps is wanted
  bool anew = false;    ///< changes over even to the same method: what it knows of the steps before is made anew
};

/// Says how a run finds its pairs, from step to step.
class MethodSource {
 public:
  virtual ~MethodSource() = default;
  /// Of step 0.
  virtual MethodChoice first() const = 0;
  /// pairs: sums over the pairs at the positions of the report's step; costs up to two steps.
  virtual MethodOrder next(const StepReport& report, const std::function<PairSums()>& pairs) = 0;
  /// Whether it takes a refusal; else an order that cannot be followed ends the run.
  virtual bool takes_refusal() const { return false; }
};

}  // namespace dropmd

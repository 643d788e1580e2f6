#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/run/method_choice.h"
#include "forces/pair/pair_forces.h"

namespace dropmd {

/// What a run reports at a complete step.
struct StepReport {
  std::int64_t step = 0;
  MethodChoice in_use{};      ///< how the steps up to here found their pairs
  std::int64_t steps = 0;     ///< number of steps since the last request
  double seconds = 0;         ///< time of these steps, without outputs
  double switch_seconds = 0;  ///< time to change to another method before them; 0: no change
  bool refused = false;  ///< the last request could not be followed here (no room for the method, ...): the run went on
                         ///< as before, and made no step
};

/// The droplet at a step: the sums over its pairs, and the speed of its fastest atom.
struct StepSums {
  PairSums pairs;
  double fastest = 0;  ///< length/time
};

/// What a source requests of the run.
struct MethodRequest {
  MethodChoice choice;   ///< its step is that of the report
  std::int64_t until;    ///< a step after the report's, at which to ask again
  bool timed = false;    ///< whether to measure the time of these steps
  bool rebuild = false;  ///< rebuild what is kept from earlier steps even if the method does not change
};

/// Receives a source's comment on its choice at a step: a line for the user, and details on its basis (empty: none).
using MethodLog = std::function<void(std::int64_t step, const std::string& text, const std::string& details)>;

/// Decides, from step to step, how a run finds its pairs.
class MethodSource {
 public:
  virtual ~MethodSource() = default;
  /// Returns the choice at step 0.
  virtual MethodChoice first() const = 0;
  /// Returns the next request. sums(): those at the report's step; computing them costs up to two steps.
  virtual MethodRequest next(const StepReport& report, const std::function<StepSums()>& sums) = 0;
  /// Whether it accepts a refusal; otherwise a request that cannot be followed ends the run.
  virtual bool takes_refusal() const { return false; }
  /// Whether the run can be reproduced only from a record of its choices, because they depend on a clock or another
  /// record.
  virtual bool needs_record() const { return true; }
};

}  // namespace dropmd

#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/run/method_choice.h"
#include "forces/pair/pair_forces.h"

namespace dropmd {

/// What a run tells at a complete step.
struct StepReport {
  std::int64_t step = 0;
  MethodChoice in_use{};      ///< how the steps up to here found their pairs
  std::int64_t steps = 0;     ///< made since the last request
  double seconds = 0;         ///< that these took, without outputs
  double switch_seconds = 0;  ///< that it took before them to change over to another method; 0: it was going on
  bool refused = false;  ///< the last request cannot be followed here (no room for the method, ...): the run went on
                         ///< as before, and made no step
};

/// The droplet at a step: sums over its pairs, and the speed of its fastest atom.
struct StepSums {
  PairSums pairs;
  double fastest = 0;  ///< length/time
};

struct MethodRequest {
  MethodChoice choice;   ///< its step is the report's
  std::int64_t until;    ///< the step, after the report's, at which to ask again
  bool timed = false;    ///< the time of these steps is wanted
  bool rebuild = false;  ///< changes over even to the same method: what it knows of the steps before is rebuilt
};

/// Takes what a source says of its choices at a step: a line for the user, and for those who want to know more what it
/// is based on (empty: nothing).
using MethodLog = std::function<void(std::int64_t step, const std::string& text, const std::string& details)>;

/// Says how a run finds its pairs, from step to step.
class MethodSource {
 public:
  virtual ~MethodSource() = default;
  /// Of step 0.
  virtual MethodChoice first() const = 0;
  /// sums: those at the report's step; asking for them costs up to two steps.
  virtual MethodRequest next(const StepReport& report, const std::function<StepSums()>& sums) = 0;
  /// Whether it takes a refusal; else a request that cannot be followed ends the run.
  virtual bool takes_refusal() const { return false; }
  /// Whether the run can be repeated only from a record of its choices, because they follow a clock or another record.
  virtual bool needs_record() const { return true; }
};

}  // namespace dropmd

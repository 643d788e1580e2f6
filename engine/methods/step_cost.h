#pragma once

#include "engine/methods/method.h"
#include "engine/methods/workload.h"

namespace dropmd {

/// Estimates the time of a step for each method, to compare methods and skins. It depends only on positions,
/// velocities, the model and the device: neither on a clock nor on the number of threads.
class StepCost {
 public:
  /// processor: the run's; system and config must outlive this object. Throws DeviceError if its GPU cannot be used.
  StepCost(const System& system, const RunSettings& config, const Method& processor);

  /// Returns microseconds, including the building of what is kept from step to step; on a CPU those of one thread.
  double of(const Method& method, const Workload& work) const;

  /// Returns the method with the skin that makes its steps cheapest, unless the configuration gives one: with a wider
  /// skin more pairs beyond the cutoff are computed, and lists are built less often.
  Method with_cheapest_skin(Method method, const Workload& work) const;

 private:
  const System& system_;
  const RunSettings& config_;
  /// Of the times per atom and pair: the H200's number of multiprocessors over the device's.
  double scale_;
};

/// Returns the method with the skin that the cost model finds cheapest at the start, for the list or the cells that a
/// run keeps, unless the configuration gives one.
Method with_fitting_skin(Method method, const System& system, const RunSettings& config);

}  // namespace dropmd

#pragma once

#include "engine/methods/method.h"
#include "engine/methods/workload.h"

namespace dropmd {

/// Estimates the time of a step by each method, to compare methods and skins with each other. It depends on positions,
/// velocities, the model and the device alone: not on a clock, nor on the number of threads.
class StepCost {
 public:
  /// processor: the run's; system and config outlive this. Throws DeviceError where its GPU cannot be used.
  StepCost(const System& system, const RunSettings& config, const Method& processor);

  /// Microseconds, the building of what is kept from step to step included; on a CPU those of one thread.
  double of(const Method& method, const Workload& work) const;

  /// The method with the skin that makes its steps cheapest, unless the configuration says one: with a wider skin more
  /// pairs beyond the cutoff are computed, and lists are built less often.
  Method with_cheapest_skin(Method method, const Workload& work) const;

 private:
  const System& system_;
  const RunSettings& config_;
  double scale_;  ///< of the times per atom and pair: the H200's multiprocessors over the device's
};

/// The method with the skin that the model finds the cheapest at the start, for the list or the cells that a run keeps,
/// unless the configuration says which.
Method with_fitting_skin(Method method, const System& system, const RunSettings& config);

}  // namespace dropmd

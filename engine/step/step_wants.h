#pragma once

namespace dropmd {

/// What is wanted of steps that are started, besides the steps.
struct StepWants {
  bool energies = false;  ///< of the last step
  bool time = false;      ///< that a GPU takes for them; to measure it costs some microseconds
};

}  // namespace dropmd

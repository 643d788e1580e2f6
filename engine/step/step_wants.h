#pragma once

#include <cstdint>

namespace dropmd {

/// What is wanted of steps that are started, besides the steps.
struct StepWants {
  bool energies = false;  ///< of the last step
  bool time = false;      ///< that a GPU takes for them; to measure it costs some microseconds
  /// The steps that will be started next, whatever these show: up to this one; 0: not known. A GPU may then go on with
  /// them while the host waits for these.
  std::int64_t next = 0;
  bool next_energies = false;  ///< StepWants::energies of those
};

}  // namespace dropmd

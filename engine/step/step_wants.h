#pragma once

#include <cstdint>

namespace dropmd {

/// What is wanted of steps that are started, besides the steps.
struct StepWants {
  bool energies = false;  ///< of the last step
  bool time = false;      ///< that a GPU takes for them; measuring it costs some microseconds
  /// Last of the steps that will be started next, whatever those started now show; 0: not known. A GPU may then go on
  /// with them while the host waits for those started now.
  std::int64_t next = 0;
  bool next_energies = false;  ///< StepWants::energies of those
};

}  // namespace dropmd

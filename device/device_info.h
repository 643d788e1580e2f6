#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dropmd {

/// One CUDA device as the driver describes it.
struct DeviceInfo {
  int index = 0;
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  std::size_t memory = 0;       ///< bytes
  std::size_t memory_free = 0;  ///< bytes, at the time of asking
};

/// Every device, or why none can be used.
struct DeviceReport {
  std::vector<DeviceInfo> devices;
  std::string reason;       ///< why `devices` is empty, in words for the user; else empty
  int driver_version = 0;   ///< highest CUDA version that the driver supports: 1000 major + 10 minor; 0: no driver
  int runtime_version = 0;  ///< CUDA version of this build; 0: built without CUDA
};

/// Asks the driver. Never throws: a machine without GPU, driver or CUDA build is an answer too.
DeviceReport query_devices();

/// The device of that index. Throws DeviceError with the reason and the remedy if it cannot be used.
DeviceInfo require_device(int index);

}  // namespace dropmd

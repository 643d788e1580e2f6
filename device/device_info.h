#pragma once

#include <cstddef>
#include <optional>
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
  std::size_t memory_free = 0;  ///< bytes, when it was probed
  std::string problem;          ///< why it cannot be used, when it was probed; else empty
};

/// Every device, or why there is none.
struct DeviceReport {
  std::vector<DeviceInfo> devices;
  std::string reason;       ///< why `devices` is empty, in words for the user; else empty
  int driver_version = 0;   ///< highest CUDA version that the driver supports: 1000 major + 10 minor; 0: no driver
  int runtime_version = 0;  ///< CUDA version of this build; 0: built without CUDA
};

/// Asks the driver, and leaves every device alone. Never throws: a machine without GPU, driver or CUDA build is an
/// answer too.
DeviceReport query_devices();

/// Makes a context on the device to learn its free memory and whether this build can run on it; fills memory_free and
/// problem.
void probe_device(DeviceInfo& device);

/// The device of that index, probed, or the reason why it cannot be used. Touches no other device.
std::optional<DeviceInfo> find_device(int index, std::string& reason);

/// The same; throws DeviceError with the reason and the remedy.
DeviceInfo require_device(int index);

}  // namespace dropmd

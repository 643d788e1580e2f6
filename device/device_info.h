#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace dropmd {

/// A CUDA device as the driver describes it.
struct DeviceInfo {
  int index = 0;  ///< CUDA device number
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  std::size_t memory = 0;       ///< bytes
  std::size_t memory_free = 0;  ///< bytes, at the time of the probe
  std::string uuid;             ///< 32 hexadecimal digits that no other GPU, or part of one, has
  std::string problem;          ///< why it cannot be used, as of the probe; else empty
};

/// All devices, or the reason why there is none.
struct DeviceReport {
  std::vector<DeviceInfo> devices;
  std::string reason;       ///< for the user: why `devices` is empty; else empty
  int driver_version = 0;   ///< highest CUDA version that the driver supports: 1000 major + 10 minor; 0: no driver
  int runtime_version = 0;  ///< CUDA version of this build; 0: built without CUDA
};

/// Queries the driver without using any device. Never throws: a machine without GPU, driver or CUDA build is a valid
/// answer, too.
DeviceReport query_devices();

/// Creates a context on the device to determine its free memory and whether this build can run on it; sets memory_free
/// and problem.
void probe_device(DeviceInfo& device);

/// Makes this process load all kernels when it begins to use a device. If each were loaded at its first launch, the
/// driver could wait for work that in turn waits for another GPU. To be called before any other function of the device
/// room.
void load_all_kernels();

/// Makes threads of this process sleep while they wait for the device. Otherwise they poll, which is faster but takes a
/// processor each. Throws DeviceError.
void let_waits_sleep(int device);

/// Returns the probed device of that index; nullopt, with the reason, if it cannot be used. Uses no other device.
std::optional<DeviceInfo> find_device(int index, std::string& reason);

/// The same; throws DeviceError with the reason and the remedy.
DeviceInfo require_device(int index);

}  // namespace dropmd

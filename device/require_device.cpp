#include <cstdlib>

#include "core/errors.h"
#include "device/device_info.h"

namespace dropmd {

std::optional<DeviceInfo> find_device(int index, std::string& reason) {
  DeviceReport report = query_devices();
  const auto n = static_cast<int>(report.devices.size());
  if (n == 0) {
    reason = report.reason;
    return std::nullopt;
  }
  if (index < 0 || index >= n) {
    reason = "there is no device " + std::to_string(index) + ": devices 0 to " + std::to_string(n - 1) +
             " exist (dropmd info lists them)";
    return std::nullopt;
  }
  DeviceInfo device = std::move(report.devices[static_cast<std::size_t>(index)]);
  probe_device(device);
  if (device.problem.empty()) return device;
  reason = device.problem;
  return std::nullopt;
}

DeviceInfo require_device(int index) {
  std::string reason;
  const auto device = find_device(index, reason);
  if (!device) throw DeviceError("no usable GPU: " + reason + " (use --backend cpu)");
  return *device;
}

void load_all_kernels() { ::setenv("CUDA_MODULE_LOADING", "EAGER", /*overwrite=*/1); }

}  // namespace dropmd

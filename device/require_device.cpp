#include "core/errors.h"
#include "device/device_info.h"

namespace dropmd {

DeviceInfo require_device(int index) {
  const DeviceReport report = query_devices();
  if (report.devices.empty()) throw DeviceError("no usable GPU: " + report.reason + " (use --backend cpu)");
  if (index < 0 || static_cast<std::size_t>(index) >= report.devices.size())
    throw DeviceError("there is no device " + std::to_string(index) + ": devices 0 to " +
                      std::to_string(report.devices.size() - 1) + " exist (dropmd info lists them)");
  return report.devices[static_cast<std::size_t>(index)];
}

}  // namespace dropmd

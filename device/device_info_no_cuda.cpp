#include "device/device_info.h"

namespace dropmd {

DeviceReport query_devices() {
  DeviceReport report;
  report.reason = "this dropmd was built without CUDA";
  return report;
}

void probe_device(DeviceInfo& device) { device.problem = "this dropmd was built without CUDA"; }

void let_waits_sleep(int) {}

}  // namespace dropmd

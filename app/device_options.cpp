#include "app/device_options.h"

#include <set>
#include <string>

#include "device/device_info.h"

namespace dropmd {

void add_devices_option(OptionTable& options) {
  options.add("method", {{"devices", "GPUs to use: all, or their numbers", "N,..."}});
}

bool wants_all_devices(const GivenOptions& options) {
  return options.list("devices") == std::vector<std::string>{"all"};
}

std::vector<int> devices_of(const GivenOptions& options) {
  if (options.has("device")) throw UsageError("--devices and --device cannot be combined");
  std::vector<int> devices;
  if (wants_all_devices(options)) {
    for (const DeviceInfo& device : query_devices().devices) devices.push_back(device.index);
    if (devices.empty()) devices = {0};
    return devices;
  }
  devices = whole_options(options, "devices", 0, {});
  if (std::set<int>(devices.begin(), devices.end()).size() < devices.size())
    throw UsageError("--devices names a GPU twice");
  return devices;
}

}  // namespace dropmd

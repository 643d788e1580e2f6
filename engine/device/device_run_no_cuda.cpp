#include "engine/device/device_run.h"

namespace dropmd {

bool DeviceRun::may_be_persistent(const System&, const RunSettings&, const Method&) { return false; }
bool DeviceRun::may_stay_on_share(const System&, const RunSettings&, const Method&) { return false; }

std::unique_ptr<DeviceRun> make_device_run(const System&, const RunSettings&, const Method&, std::size_t) {
  return nullptr;
}

}  // namespace dropmd

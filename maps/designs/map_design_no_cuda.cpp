#include "device/device_info.h"
#include "maps/designs/map_design.h"

namespace dropmd {

std::unique_ptr<DesignMapSum> make_map_design(std::string_view name, int device, Cpu, const MapModel& model,
                                              std::optional<int>) {
  require_map_design(name, model);
  require_device(device);  // throws: there is no device without CUDA
  return nullptr;
}

}  // namespace dropmd

#include "device/device_info.h"
#include "maps/designs/map_designs.cuh"

namespace dropmd {

std::unique_ptr<DesignMapSum> make_map_design(std::string_view name, int device, Cpu cpu, const MapModel& model,
                                              std::optional<int> bin_capacity) {
  const MapDesign& design = require_map_design(name, model);
  require_device(device);
  if (!design.has_cutoff) return make_ladder_map(name, device, model);
  if (name == "large-bins") return make_large_bins_map(device, model);
  return make_small_bins_map(device, cpu, model, bin_capacity);
}

}  // namespace dropmd

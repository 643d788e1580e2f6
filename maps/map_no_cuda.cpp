#include "device/device_info.h"
#include "maps/map_cuda.h"

namespace dropmd {

std::unique_ptr<MapSum> make_map_sum_cuda(int device, Precision, const MapModel&) {
  require_device(device);  // throws: there is none without CUDA
  return nullptr;
}

}  // namespace dropmd

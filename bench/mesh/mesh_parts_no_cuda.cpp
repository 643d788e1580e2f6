#include "bench/mesh/mesh_parts.h"
#include "device/device_info.h"

namespace dropmd {

MeshTimes time_mesh_cuda(int device, Precision, const MeshBenchCase&) {
  require_device(device);  // throws: there is no device without CUDA
  return {};
}

}  // namespace dropmd

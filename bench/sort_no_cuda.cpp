#include "bench/sort_cuda.h"
#include "device/device_info.h"

namespace dropmd {

std::vector<SortTime> time_sorts_cuda(int device, const Cpu&, const SortBenchSegments&, std::span<const std::string>) {
  require_device(device);  // throws: there is no device without CUDA
  return {};
}

}  // namespace dropmd

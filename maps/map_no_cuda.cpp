#include "device/device_info.h"
#include "maps/map_cuda.h"

namespace dropmd {

template <class Real>
std::unique_ptr<MapSum> make_map_sum_cuda(int device, Cpu, const MapModel&) {
  require_device(device);  // throws: there is no device without CUDA
  return nullptr;
}

template <class Real>
std::unique_ptr<DividedMap> make_divided_map_cuda(int device, Cpu, const MapModel&) {
  require_device(device);  // throws
  return nullptr;
}

template std::unique_ptr<MapSum> make_map_sum_cuda<float>(int, Cpu, const MapModel&);
template std::unique_ptr<MapSum> make_map_sum_cuda<double>(int, Cpu, const MapModel&);
template std::unique_ptr<DividedMap> make_divided_map_cuda<float>(int, Cpu, const MapModel&);
template std::unique_ptr<DividedMap> make_divided_map_cuda<double>(int, Cpu, const MapModel&);

}  // namespace dropmd

#pragma once

#include <memory>

#include "maps/map_model.h"

namespace dropmd {

/// Constructs the computation of maps on a GPU; `cpu` copies them to host memory. Throws DeviceError if the device
/// cannot be used or this build has no CUDA; InputError as require_map_model(). Real: float (mixed precision) or
/// double.
template <class Real>
std::unique_ptr<MapSum> make_map_sum_cuda(int device, Cpu cpu, const MapModel& model);

inline std::unique_ptr<MapSum> make_map_sum_cuda(int device, Cpu cpu, Precision precision, const MapModel& model) {
  require_map_model(model);
  return precision == Precision::mixed ? make_map_sum_cuda<float>(device, cpu, model)
                                       : make_map_sum_cuda<double>(device, cpu, model);
}

}  // namespace dropmd

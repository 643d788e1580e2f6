#pragma once

#include <memory>

#include "maps/map_model.h"
#include "maps/mesh/divided_map.h"

namespace dropmd {

/// Constructs the computation of maps on a GPU; `cpu` copies them to host memory. Throws DeviceError if the device
/// cannot be used or this build has no CUDA; InputError as require_map_model().
std::unique_ptr<MapSum> make_map_sum_cuda(int device, Cpu cpu, Precision precision, const MapModel& model);

/// The sum over the atoms with the model's form, and the parts of a map by a mesh. Real: float (mixed precision) or
/// double.
template <class Real>
std::unique_ptr<MapSum> make_map_sum_cuda(int device, Cpu cpu, const MapModel& model);
template <class Real>
std::unique_ptr<DividedMap> make_divided_map_cuda(int device, Cpu cpu, const MapModel& model);

}  // namespace dropmd

#pragma once

#include <memory>

#include "maps/map_model.h"

namespace dropmd {

/// Maps on a GPU. Throws DeviceError if the device cannot be used or this build has no CUDA; InputError as
/// require_map_model().
std::unique_ptr<MapSum> make_map_sum_cuda(int device, Precision precision, const MapModel& model);

}  // namespace dropmd

#include "maps/map_cuda.h"

namespace dropmd {

std::unique_ptr<MapSum> make_map_sum_cuda(int device, Cpu cpu, Precision precision, const MapModel& model) {
  require_map_model(model);
  const bool mixed = precision == Precision::mixed;
  if (model.mesh)
    return make_mesh_map_sum(
        cpu, precision, model,
        mixed ? make_divided_map_cuda<float>(device, cpu, model) : make_divided_map_cuda<double>(device, cpu, model),
        kGpuMapMeshPrices);
  return mixed ? make_map_sum_cuda<float>(device, cpu, model) : make_map_sum_cuda<double>(device, cpu, model);
}

}  // namespace dropmd

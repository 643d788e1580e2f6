#include "maps/cpu_map_sum.h"
#include "maps/mesh/divided_map.h"

namespace dropmd {

std::unique_ptr<MapSum> make_map_sum(Cpu cpu, Precision precision, const MapModel& model) {
  require_map_model(model);
  const bool mixed = precision == Precision::mixed;
  if (model.mesh)
    return make_mesh_map_sum(cpu, precision, model,
                             mixed ? make_divided_map<float>(cpu, model) : make_divided_map<double>(cpu, model),
                             kCpuMapMeshPrices);
  return mixed ? make_cpu_map_sum<float>(cpu, model) : make_cpu_map_sum<double>(cpu, model);
}

}  // namespace dropmd

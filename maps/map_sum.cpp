#include "maps/cpu_map_sum.h"

namespace dropmd {

std::unique_ptr<MapSum> make_map_sum(Cpu cpu, Precision precision, const MapModel& model) {
  require_map_model(model);
  return precision == Precision::mixed ? make_cpu_map_sum<float>(cpu, model) : make_cpu_map_sum<double>(cpu, model);
}

}  // namespace dropmd

#include "maps/cpu_map_sum.h"

namespace dropmd {

template std::unique_ptr<MapSum> make_cpu_map_sum<float>(Cpu, const MapModel&);

}  // namespace dropmd

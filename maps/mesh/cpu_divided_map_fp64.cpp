#include "maps/mesh/cpu_divided_map.h"

namespace dropmd {

template std::unique_ptr<DividedMap> make_divided_map<double>(Cpu, const MapModel&);

}  // namespace dropmd

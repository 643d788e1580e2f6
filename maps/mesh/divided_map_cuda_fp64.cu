#include "maps/mesh/cuda_divided_map.cuh"

namespace dropmd {

template std::unique_ptr<DividedMap> make_divided_map_cuda<double>(int, Cpu, const MapModel&);

}  // namespace dropmd

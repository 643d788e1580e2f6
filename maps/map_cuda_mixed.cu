#include "maps/cuda_map_sum.cuh"

namespace dropmd {

template std::unique_ptr<MapSum> make_map_sum_cuda<float>(int, Cpu, const MapModel&);

}  // namespace dropmd

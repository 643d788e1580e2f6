#include "forces/pair/cuda/all_pairs/tile_forces_impl.cuh"

namespace dropmd {

template void fill_tiles(const Cuda&, const AtomTilesView<double>&);
template class ForceSums<double>;
template std::vector<std::uint32_t> force_items_per_warp<double>(std::uint32_t, int);
template class TileForces<double>;

}  // namespace dropmd

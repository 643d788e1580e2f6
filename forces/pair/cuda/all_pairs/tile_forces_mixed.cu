#include "forces/pair/cuda/all_pairs/tile_forces_impl.cuh"

namespace dropmd {

template void fill_tiles(const Cuda&, const AtomTilesView<float>&);
template class ForceSums<float>;
template std::vector<std::uint32_t> force_items_per_warp<float>(std::uint32_t, int);
template class TileForces<float>;

}  // namespace dropmd

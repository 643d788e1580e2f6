#include "forces/all_pairs_cuda.cuh"
#include "forces/tile_forces_impl.cuh"

namespace dropmd {

template void fill_tiles(const Cuda&, const AtomTilesView<float>&);
template class ForceSums<float>;
template std::vector<std::uint32_t> share_forces<float>(std::uint32_t, int);
template class TileForces<float>;
template std::unique_ptr<PairForces> make_all_pairs_cuda<float>(int, Cpu, const PairModel&, PairAtoms);

}  // namespace dropmd

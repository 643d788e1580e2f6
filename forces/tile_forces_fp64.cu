#include "forces/all_pairs_cuda.cuh"
#include "forces/tile_forces_impl.cuh"

namespace dropmd {

template void fill_tiles(const Cuda&, const AtomTilesView<double>&);
template class ForceSums<double>;
template std::vector<std::uint32_t> share_forces<double>(std::uint32_t, int);
template class TileForces<double>;
template std::unique_ptr<PairForces> make_all_pairs_cuda<double>(int, Cpu, const PairModel&, PairAtoms);

}  // namespace dropmd

#include "forces/pair/cuda/all_pairs/excluded_tiles.cuh"

namespace dropmd {

namespace {

constexpr std::uint32_t kThreads = 256;

/// storage_index: [n_atoms] by host index.
__global__ void invert_order_kernel(ExcludedAtomsView excluded, std::uint32_t* storage_index) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < excluded.n_atoms) storage_index[excluded.host_index[k]] = k;
}

/// Sets the bits of an atom's exclusions; one thread per atom. Each pair sets the bits of both its i-tiles.
__global__ void mark_tiles_kernel(ExcludedAtomsView excluded, const std::uint32_t* storage_index,
                                  ExcludedTilesView tiles) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= excluded.n_atoms) return;
  const std::uint32_t i = excluded.host_index[k];
  for (std::uint32_t e = excluded.pairs.start[i]; e < excluded.pairs.start[i + 1]; ++e) {
    const std::uint32_t j_tile = storage_index[excluded.pairs.excluded[e]] / kJTileAtoms;
    atomicOr(tiles.word(k / kITileAtoms, j_tile), 1U << j_tile % 32);
  }
}

}  // namespace

void ExcludedTiles::find(const Cuda& cuda, const ExcludedAtomsView& excluded) {
  if (!excluded.any()) return;
  const std::uint32_t n = excluded.n_atoms, blocks = (n + kThreads - 1) / kThreads;
  words_ = ExcludedTilesView::words_for(n);
  d_bits_.resize(std::size_t{i_tiles_of(n)} * words_);
  d_storage_index_.resize(n);
  d_bits_.zero();
  invert_order_kernel<<<blocks, kThreads, 0, cuda.get()>>>(excluded, d_storage_index_.data());
  DROPMD_CUDA_LAUNCHED("finding tiles with exclusions");
  mark_tiles_kernel<<<blocks, kThreads, 0, cuda.get()>>>(excluded, d_storage_index_.data(), view());
  DROPMD_CUDA_LAUNCHED("finding tiles with exclusions");
}

}  // namespace dropmd

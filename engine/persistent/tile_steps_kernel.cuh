#pragma once

#include <cooperative_groups.h>

#include <cstdint>

#include "engine/device/step_kernels.cuh"
#include "forces/pair/cuda/all_pairs/tile_kernel.cuh"

/// The kernel of TileSteps.
namespace dropmd {

namespace tile_steps {

constexpr std::uint32_t kWarps = 16;  ///< per block, of which a multiprocessor has one
constexpr std::uint32_t kThreads = 32 * kWarps;

/// The warps' shares of the pairs: [n] in the order of the grid's warps, of which each takes every so manyth.
struct Items {
  const WarpItems* of_warp;
  std::uint32_t n;
};

/// Adds the forces of all pairs to the sums.
template <class Physics, bool kOneSpecies>
__device__ void add_pairs(const AtomTilesView<float>& tiles,
                          const PairTableView<float, CoefficientsOf<Physics, float>>& table, const Physics& physics,
                          const Items& items, const ForceSumsView<float>& sums) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* const shared = reinterpret_cast<WarpSharedMemory<float, false>*>(memory);
  const std::uint32_t warp = threadIdx.x / 32;
  const ExcludedTilesView none{};
  ForceWarp<float, Physics, kOneSpecies, false, NearPairs::many> mine(tiles, table, physics, none, sums, shared[warp],
                                                                      threadIdx.x % 32);
#pragma unroll 1
  for (std::uint32_t k = blockIdx.x * kWarps + warp; k < items.n; k += gridDim.x * kWarps) mine.run(items.of_warp[k]);
}

/// Calls use(tile, lane) for the tiles of the warp; neighbouring tiles belong to different blocks.
template <class Use>
__device__ void for_tiles(std::uint32_t n_tiles, const Use& use) {
#pragma unroll 1
  for (std::uint32_t tile = threadIdx.x / 32 * gridDim.x + blockIdx.x; tile < n_tiles; tile += kWarps * gridDim.x)
    use(tile, static_cast<int>(threadIdx.x % 32));
}

/// A function that kernels call: its registers do not burden the loops over pairs.
template <class Parts, class Motion>
__device__ __noinline__ void step_tiles(const StepView<float>& step, const Motion& motion) {
  for_tiles(step.tiles.n_tiles(), [&](std::uint32_t tile, int lane) { step_tile<Parts>(step, motion, tile, lane); });
}

/// Performs n_steps steps.
template <class Physics, bool kOneSpecies, class Motion>
__global__ void __launch_bounds__(kThreads, 1)
    tile_steps_kernel(const __grid_constant__ StepView<float> step,
                      const __grid_constant__ PairTableView<float, CoefficientsOf<Physics, float>> table,
                      const __grid_constant__ Physics physics, const __grid_constant__ Motion motion,
                      const __grid_constant__ Items items, std::uint32_t n_steps) {
  const auto grid = cooperative_groups::this_grid();
  step_tiles<MoveAndFill>(step, motion);
  for (std::uint32_t left = n_steps;;) {
    grid.sync();
    add_pairs<Physics, kOneSpecies>(step.tiles, table, physics, items, step.sums);
    grid.sync();
    if (--left == 0) break;
    step_tiles<FinishMoveAndFill>(step, motion);
  }
  step_tiles<Finish>(step, motion);
}

}  // namespace tile_steps

}  // namespace dropmd

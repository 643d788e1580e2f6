#pragma once

#include <cstdint>

#include "engine/device/molecules/cluster_step.cuh"

/// The part of a step between two computations of the forces, for molecules with constraints or virtual sites: a kernel
/// for the clusters, one for the virtual sites (site_kernels.cuh), if there are any, and without a neighbour structure
/// one that prepares the next forces. The last of them advances the clocks.
namespace dropmd {

#if defined(__CUDACC__)

/// Advances the clocks of all tiles in the last block of a grid that gets here. All threads must call it, when the
/// block no longer reads clocks. arrived: number of blocks, 0 before and after; null: another kernel does it.
template <class Parts, bool kGloballyCoupled, class Real>
__device__ void advance_clocks(const StepView<Real>& step, std::uint32_t* arrived) {
  if (arrived == nullptr) return;
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last || step.sums.errors.any()) return;
  for (std::uint32_t tile = threadIdx.x; tile < step.tiles.n_tiles(); tile += blockDim.x)
    step.clock[tile] = clock_after<Parts, kGloballyCoupled>(turn_of<Parts>(step, step.clock[tile]), step.clock[tile]);
}

/// A function that kernels call for the rarer kinds, so that it does not cost the others registers.
template <class Parts, class Real, class Motion, class Solver>
__device__ __noinline__ void step_clusters_apart(const StepView<Real>& step, const Motion& motion,
                                                 const ClusterView<Solver>& clusters, std::uint32_t first) {
  step_clusters<Parts>(step, motion, clusters, first);
}

template <class Parts, ClusterKinds kKinds, class Real, class Motion>
__device__ void step_all_clusters(const StepView<Real>& step, const Motion& motion, const ClusterViews& views) {
  views.for_each([&]<class Solver>(const ClusterView<Solver>& kind) {
    if constexpr (kKinds == ClusterKinds::all || kIsFrequent<Solver>) {
      const std::uint32_t block = blockIdx.x - kind.first_block;
      if (blockIdx.x < kind.first_block || block >= kind.blocks()) return;
      const std::uint32_t first = block * kind.kPerBlock + threadIdx.x / 32 * kind.kPerWarp;
      if (first >= kind.n) return;
      if constexpr (kIsFrequent<Solver>)
        step_clusters<Parts>(step, motion, kind, first);
      else
        step_clusters_apart<Parts>(step, motion, kind, first);
    }
  });
}

/// Performs the parts of a step for all clusters, which are of these kinds. arrived: as for advance_clocks().
template <class Parts, ClusterKinds kKinds, class Real, class Motion>
__global__ void __launch_bounds__(MoleculeTuning::kThreads, MoleculeTuning::kBlocksPerSm)
    cluster_step_kernel(const __grid_constant__ StepView<Real> step, const __grid_constant__ Motion motion,
                        const __grid_constant__ ClusterViews views, std::uint32_t* arrived) {
  wait_for_kernel_before();
  step_all_clusters<Parts, kKinds>(step, motion, views);
  advance_clocks<Parts, Motion::kGloballyCoupled>(step, arrived);
}

/// The same with the integrator in device memory.
template <class Parts, ClusterKinds kKinds, class Real, class Motion>
__global__ void __launch_bounds__(MoleculeTuning::kThreads, MoleculeTuning::kBlocksPerSm)
    coupled_cluster_step_kernel(const __grid_constant__ StepView<Real> step, const Motion* motion,
                                const __grid_constant__ ClusterViews views, std::uint32_t* arrived) {
  wait_for_kernel_before();
  step_all_clusters<Parts, kKinds>(step, *motion, views);
  advance_clocks<Parts, Motion::kGloballyCoupled>(step, arrived);
}

/// Without a neighbour structure: what remains of a step when the atoms have moved; one warp per tile.
template <class Parts, class Real, bool kGloballyCoupled>
__global__ void __launch_bounds__(64) complete_step_kernel(const __grid_constant__ StepView<Real> step) {
  wait_for_kernel_before();
  const std::uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (tile >= step.tiles.n_tiles()) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (__any_sync(0xFFFFFFFFU, step.sums.errors.any())) return;
  const StepClock clock = step.clock[tile];
  const Turn turn = turn_of<Parts>(step, clock);
  if (turn.moves) {
    for (int k = 0; k < 2; ++k)
      if (const std::uint32_t index = tile * kTileAtoms + 32 * k + lane; index < step.atoms.n_atoms)
        step.sums.clear(index);
    if (Parts::kFill && step.fills_tiles) fill_tile(step.tiles, tile, lane);
  }
  __syncwarp();
  if (lane == 0) step.clock[tile] = clock_after<Parts, kGloballyCoupled>(turn, clock);
}

#endif

}  // namespace dropmd

#pragma once

#include <cstdint>

#include "engine/device/molecules/cluster_step.cuh"
#include "forces/device_force_term.cuh"

/// The part of a step between two computations of the forces, for molecules with constraints or virtual sites: a kernel
/// for the clusters, one for the virtual sites that belong to no cluster (site_kernels.cuh), if there are any, and
/// without a neighbour structure one that prepares the next forces. The last of them advances the clocks, so that
/// between kernels the clocks of all tiles are equal.
namespace dropmd {

#if defined(__CUDACC__)

/// What a kernel with certain parts has to do in a step by molecules. A block finds it out before it loops over its
/// clusters.
template <class Parts>
struct MoleculeTurn {
  StepClock clock;  ///< of all atoms
  Turn turn;        ///< nor is it its turn after a fault: the host repeats the step and reports the fault

  /// All threads of a block must call it.
  template <class Real>
  __device__ explicit MoleculeTurn(const StepView<Real>& step) : clock(*step.clock), turn(turn_of<Parts>(step, clock)) {
    turn.is = __syncthreads_and(turn.is && !step.sums.errors.any()) != 0;
    turn.moves = turn.is && turn.moves;
  }
};

/// Advances the clocks of all tiles, in the last block of a grid to get here. All threads must call it. faulted:
/// whether the thread has reported a fault; arrived: counts blocks, 0 before and after; null: another kernel advances
/// the clocks.
template <class Parts, bool kGloballyCoupled, class Real>
__device__ void advance_clocks(const StepView<Real>& step, const MoleculeTurn<Parts>& now, bool faulted,
                               std::uint32_t* arrived) {
  if (arrived == nullptr) return;
  __shared__ bool is_last;
  // The last block has to see every fault; all else that blocks write is for later kernels.
  if (faulted) __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last || step.sums.errors.any()) return;
  const StepClock after = clock_after<Parts, kGloballyCoupled>(now.turn, now.clock);
  for (std::uint32_t tile = threadIdx.x; tile < step.tiles.n_tiles(); tile += blockDim.x) step.clock[tile] = after;
}

/// step_clusters() as a function that kernels call for the rarer kinds, so that these do not cost the others registers.
template <class Parts, class Real, class Motion, class Solver, class Atoms>
__device__ __noinline__ bool step_clusters_apart(const StepView<Real>& step, std::uint64_t now, bool moves,
                                                 bool spreads, const Motion& motion,
                                                 const ClusterView<Solver>& clusters, std::uint32_t first,
                                                 const Atoms& atoms) {
  return step_clusters<Parts>(step, now, moves, spreads, motion, clusters, first, atoms);
}
/// step_clusters() for any kind.
template <class Parts, class Real, class Motion, class Solver, class Atoms = AllAtoms>
__device__ bool step_clusters_of_kind(const StepView<Real>& step, std::uint64_t now, bool moves, bool spreads,
                                      const Motion& motion, const ClusterView<Solver>& clusters, std::uint32_t first,
                                      const Atoms& atoms = {}) {
  if constexpr (kIsFrequent<Solver>)
    return step_clusters<Parts>(step, now, moves, spreads, motion, clusters, first, atoms);
  else
    return step_clusters_apart<Parts>(step, now, moves, spreads, motion, clusters, first, atoms);
}

/// Calls use(kind, first) for the calling warp's share of a block of clusters, if they are of these kinds: clusters of
/// one kind, from `first` on.
template <ClusterKinds kKinds, class Use>
__device__ void for_clusters_of_block(const ClusterViews& views, std::uint32_t number, const Use& use) {
  views.for_each([&]<class Solver>(const ClusterView<Solver>& kind) {
    if constexpr (kIsAmong<Solver, kKinds>) {
      const std::uint32_t block = number - kind.first_block;
      if (number < kind.first_block || block >= kind.blocks()) return;
      const std::uint32_t first = block * kind.kPerBlock + threadIdx.x / 32 % MoleculeTuning::kWarps * kind.kPerWarp;
      if (first < kind.n) use(kind, first);
    }
  });
}

/// Calls use(kind, first) for the clusters of the calling warp, which are of these kinds; in each iteration it has
/// clusters of one kind, from `first` on. group: which of n_groups groups of MoleculeTuning::kWarps warps it belongs
/// to; the groups take the blocks of clusters in turn.
template <ClusterKinds kKinds, class Use>
__device__ void for_clusters_of_warp(const ClusterViews& views, std::uint32_t group, std::uint32_t n_groups,
                                     const Use& use) {
#pragma unroll 1
  for (std::uint32_t number = group; number < views.n_blocks; number += n_groups)
    for_clusters_of_block<kKinds>(views, number, use);
}
/// The same for the warps of a grid whose blocks have MoleculeTuning::kWarps warps.
template <ClusterKinds kKinds, class Use>
__device__ void for_clusters_of_warps(const ClusterViews& views, const Use& use) {
  for_clusters_of_warp<kKinds>(views, blockIdx.x, gridDim.x, use);
}

template <class Parts, ClusterKinds kKinds, class Real, class Motion>
__device__ void step_all_clusters(const StepView<Real>& step, const Motion& motion, const ClusterViews& views,
                                  bool spreads, std::uint32_t* arrived) {
  const MoleculeTurn<Parts> now(step);
  bool faulted = false;
  if (now.turn.is)
    for_clusters_of_warps<kKinds>(views, [&]<class Solver>(const ClusterView<Solver>& kind, std::uint32_t first) {
      faulted |= step_clusters_of_kind<Parts>(step, now.clock.step(), now.turn.moves, spreads, motion, kind, first);
    });
  advance_clocks<Parts, Motion::kGloballyCoupled>(step, now, faulted, arrived);
}

/// Performs the parts of a step for all clusters, which are of these kinds. spreads: as for step_clusters(); arrived:
/// as for advance_clocks().
template <class Parts, ClusterKinds kKinds, class Real, class Motion>
__global__ void __launch_bounds__(MoleculeTuning::kThreads, MoleculeTuning::kBlocksPerSm)
    cluster_step_kernel(const __grid_constant__ StepView<Real> step, const __grid_constant__ Motion motion,
                        const __grid_constant__ ClusterViews views, bool spreads, std::uint32_t* arrived) {
  wait_for_kernel_before();
  step_all_clusters<Parts, kKinds>(step, motion, views, spreads, arrived);
}

/// The same with the integrator in device memory.
template <class Parts, ClusterKinds kKinds, class Real, class Motion>
__global__ void __launch_bounds__(MoleculeTuning::kThreads, MoleculeTuning::kBlocksPerSm)
    coupled_cluster_step_kernel(const __grid_constant__ StepView<Real> step, const Motion* motion,
                                const __grid_constant__ ClusterViews views, bool spreads, std::uint32_t* arrived) {
  wait_for_kernel_before();
  step_all_clusters<Parts, kKinds>(step, *motion, views, spreads, arrived);
}

/// Projects the forces of a warp's clusters on their constraints, for a minimiser, and stores them in step.projected.
/// All lanes must call it.
template <class Real, class Solver>
__device__ void project_forces(const StepView<Real>& step, const ClusterView<Solver>& clusters, std::uint32_t first) {
  const LaneOfCluster<Solver> lane(clusters, first);
  MovingAtom atom = step.load_atom(lane.index, step.clock->step());
  if constexpr (Solver::kAtoms > 1) {
    Vec3<double> position[Solver::kAtoms], force[Solver::kAtoms];
    gather(atom.position, lane.first_lane, position);
    gather(atom.force, lane.first_lane, force);
    if (!constraints_of(clusters.solver[clusters.type[lane.cluster]]).solve_forces(position, force) && lane.exists)
      step.sums.errors.report(static_cast<std::uint8_t>(MoveFault::unsolved), atom.key);
    atom.force = lane.own_of(force);
  }
  if (lane.has_atom()) step.projected[lane.index] = atom.force;
}

/// Projects all forces, if forces were wanted; also after a fault, since a minimiser is asked whether it has converged.
/// (One kernel serves all kinds: a minimisation is short.)
template <class Real>
__global__ void __launch_bounds__(MoleculeTuning::kThreads)
    project_forces_kernel(const __grid_constant__ StepView<Real> step, const __grid_constant__ ClusterViews views,
                          const __grid_constant__ DeviceMoment<Real> now) {
  if (!now.wants_forces()) return;
  for_clusters_of_warps<ClusterKinds::all>(
      views, [&](const auto& kind, std::uint32_t first) { project_forces(step, kind, first); });
}

/// Without a neighbour structure: performs what remains of a step after the atoms have moved; one warp per tile.
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

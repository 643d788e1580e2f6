#pragma once

#include <cstdint>

#include "device/buffer.cuh"
#include "device/launch.cuh"
#include "engine/device/molecules/molecule_kernels.cuh"
#include "engine/device/molecules/site_kernels.cuh"
#include "engine/device/peers/own_steps.cuh"

/// The end of a step by own molecules: three kernels, the first and the last of which are for the virtual sites that
/// belong to no cluster of constraints, if there are any.
namespace dropmd {

/// The blocks of clusters (ClusterView) in which this GPU owns some clusters.
struct OwnBlocksView {
  std::uint32_t* block;  ///< [*n] in any order
  std::uint32_t* n;
};

namespace own_atoms {

/// The parts that the kernels perform. They move the atoms to the next step only if asked to.
using MoleculeParts = FinishMoveAndFill;

/// The place of a kernel among those that end a step.
struct PlaceInStep {
  bool is_first, is_last;
};

/// What step_clusters() does for the own atoms alone.
template <class Real>
struct OwnAtomsOfStep {
  static constexpr bool kAll = false;

  const StepView<Real>& step;
  const OwnAtomsView<Real>& own;
  bool rare;

  __device__ bool has(std::uint32_t index) const { return own.owners.has(index); }
  __device__ void take_forces_on(std::uint32_t index) const {
    const auto at = [&](int) { return ForceSumsView<Real>::slot(index); };
    take_forces<1>(own, step.sums, index / kTileAtoms, at, rare);
  }
  __device__ void give(std::uint32_t index) const {
    own.for_others_that_need(index / kTileAtoms, [&](const OwnAtomsArrays<Real>& other, const NeedOfTile& needed) {
      give_position(other, needed, step, index, step.fills_tiles && step.searches());
    });
  }
};

/// As begin_step(). moves: whether the step's end moves the atoms.
template <class Real>
__device__ inline OwnTurn begin_step_of_molecules(const OwnAtomsView<Real>& own, const StepView<Real>& step, bool moves,
                                                  const PlaceInStep& place) {
  OwnTurn now = begin_step<MoleculeParts>(own, step, *step.clock, place.is_first);
  now.turn.moves = now.turn.moves && moves;
  return now;
}

/// Ends a kernel of the step; the last kernel also ends the step. With a list it then advances the clocks, unless a
/// molecule of any GPU could not be moved; without one, the clocks are advanced when the tiles are filled.
template <class Real>
__device__ inline void end_kernel(const OwnAtomsView<Real>& own, const StepView<Real>& step, const OwnTurn& now,
                                  const PlaceInStep& place) {
  if (!place.is_last || !peer_signals::is_last_block(own.signals)) return;
  if (!end_step(own, step, now) || !step.searches()) return;
  for (std::uint32_t tile = threadIdx.x; tile < own.n_tiles; tile += blockDim.x)
    step.clock[tile] = clock_after<MoleculeParts, false>(now.turn, now.clock);
}

/// Passes the forces on own sites on to their parents.
template <class Real>
__global__ void __launch_bounds__(MoleculeTuning::kThreads)
    spread_sites_kernel(const __grid_constant__ StepView<Real> step, const __grid_constant__ OwnAtomsView<Real> own,
                        const __grid_constant__ SiteViews sites) {
  wait_for_kernel_before();
  const OwnTurn now = begin_step_of_molecules(own, step, false, {.is_first = true, .is_last = false});
  if (!now.performs()) return;
  const OwnAtomsOfStep<Real> atoms{step, own, now.heard.rare};
  with_site(sites, [&](const auto& view, std::uint32_t k) {
    if (!atoms.has(view.site(k))) return;
    atoms.take_forces_on(view.site(k));
    pass_on_whole_force(step, view, k);
  });
}

/// Performs the step's end for own clusters, which are of these kinds.
template <ClusterKinds kKinds, class Real, class Motion>
__global__ void __launch_bounds__(MoleculeTuning::kThreads, MoleculeTuning::kBlocksPerSm)
    step_clusters_kernel(const __grid_constant__ StepView<Real> step, const __grid_constant__ Motion motion,
                         const __grid_constant__ OwnAtomsView<Real> own, const __grid_constant__ ClusterViews views,
                         OwnBlocksView blocks, bool moves, PlaceInStep place) {
  wait_for_kernel_before();
  const OwnTurn now = begin_step_of_molecules(own, step, moves, place);
  if (!now.turn.is) return;
  const OwnAtomsOfStep<Real> atoms{step, own, now.heard.rare};
  if (now.performs())
    for (std::uint32_t k = blockIdx.x; k < *blocks.n; k += gridDim.x)
      for_clusters_of_block<kKinds>(
          views, blocks.block[k], [&]<class Solver>(const ClusterView<Solver>& kind, std::uint32_t first) {
            step_clusters_of_kind<MoleculeParts>(step, now.clock.step(), now.turn.moves, /*spreads=*/true, motion, kind,
                                                 first, atoms);
          });
  end_kernel(own, step, now, place);
}

/// Places own sites.
template <class Real>
__global__ void __launch_bounds__(MoleculeTuning::kThreads)
    place_sites_kernel(const __grid_constant__ StepView<Real> step, const __grid_constant__ OwnAtomsView<Real> own,
                       const __grid_constant__ SiteViews sites, bool moves) {
  wait_for_kernel_before();
  const PlaceInStep place{.is_first = false, .is_last = true};
  const OwnTurn now = begin_step_of_molecules(own, step, moves, place);
  if (!now.turn.is) return;
  const OwnAtomsOfStep<Real> atoms{step, own, now.heard.rare};
  if (now.performs() && now.turn.moves)
    with_site(sites, [&](const auto& view, std::uint32_t k) {
      const std::uint32_t index = view.site(k);
      if (!atoms.has(index)) return;
      place_and_prepare<MoleculeParts>(step, view, k, now.clock.step() + 1);
      atoms.give(index);
    });
  end_kernel(own, step, now, place);
}

/// Lists the blocks of clusters in which this GPU owns some; one warp per block.
template <class Views>
__global__ void __launch_bounds__(128)
    find_own_blocks_kernel(const __grid_constant__ Views views, AtomOwners owners, OwnBlocksView own) {
  const std::uint32_t number = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  views.for_each([&]<class Solver>(const ClusterView<Solver>& kind) {
    const std::uint32_t block = number - kind.first_block;
    if (number < kind.first_block || block >= kind.blocks()) return;
    bool any = false;
    const std::uint32_t first = block * kind.kPerBlock, end = min(first + kind.kPerBlock, kind.n);
    for (std::uint32_t k = first + lane; k < end; k += 32) any = any || owners.has(kind.at[k * kLanesOf<Solver>]);
    if (__any_sync(0xFFFFFFFFU, any) && lane == 0) own.block[atomicAdd(own.n, 1U)] = number;
  });
}

}  // namespace own_atoms

/// The own molecules of a GPU.
class OwnMolecules {
 public:
  OwnMolecules(const Stream& stream, const DeviceMolecules& molecules)
      : molecules_(molecules), d_block_(stream), d_n_(stream) {
    d_block_.resize(molecules.clusters().n_blocks);
    d_n_.resize(1);
  }

  /// Finds them again; to be called when the atoms are in another order.
  void reordered(const Cuda& cuda, const AtomOwners& owners) const {
    constexpr std::uint32_t kThreads = 128;
    d_n_.zero();
    const std::uint32_t n_blocks = molecules_.clusters().n_blocks;
    own_atoms::find_own_blocks_kernel<<<(32 * n_blocks + kThreads - 1) / kThreads, kThreads, 0, cuda.get()>>>(
        molecules_.clusters(), owners, blocks());
    DROPMD_CUDA_LAUNCHED("finding the own molecules of a GPU");
  }

  /// Enqueues the end of a step. n_blocks: of the kernel for clusters; moves: whether it moves the atoms.
  template <class Real, class Motion>
  void step(const Cuda& cuda, const StepView<Real>& view, const Motion& motion, const OwnAtomsView<Real>& own,
            std::uint32_t n_blocks, bool moves) const {
    constexpr std::uint32_t kThreads = MoleculeTuning::kThreads;
    const SiteViews& sites = molecules_.loose_sites();
    const bool has_sites = sites.n_blocks > 0;
    if (has_sites)
      launch_early(cuda, own_atoms::spread_sites_kernel<Real>, {sites.n_blocks, kThreads},
                   "spreading the forces of virtual sites", view, own, sites);
    const auto step_kinds = [&]<ClusterKinds kKinds>() {
      launch_early(cuda, own_atoms::step_clusters_kernel<kKinds, Real, Motion>, {n_blocks, kThreads},
                   "moving the molecules", view, motion, own, molecules_.clusters(), blocks(), moves,
                   own_atoms::PlaceInStep{!has_sites, !has_sites});
    };
    with_cluster_kinds(molecules_.clusters().kinds(), step_kinds);
    if (has_sites)
      launch_early(cuda, own_atoms::place_sites_kernel<Real>, {sites.n_blocks, kThreads}, "placing virtual sites", view,
                   own, sites, moves);
  }

 private:
  OwnBlocksView blocks() const { return {d_block_.data(), d_n_.data()}; }

  const DeviceMolecules& molecules_;
  DeviceBuffer<std::uint32_t> d_block_;  ///< [n_blocks] the first d_n_ are used
  DeviceBuffer<std::uint32_t> d_n_;      ///< [1]
};

}  // namespace dropmd

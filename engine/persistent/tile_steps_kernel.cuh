#pragma once

#include <cooperative_groups.h>

#include <cstdint>

#include "engine/device/molecules/molecule_kernels.cuh"
#include "engine/device/step_kernels.cuh"
#include "engine/persistent/persistent_kernel.cuh"
#include "engine/persistent/rigid_warp.cuh"
#include "engine/persistent/tile_steps.cuh"

/// The kernel of TileSteps, and what differs between atoms and rigid molecules: how they are moved.
namespace dropmd {

namespace tile_steps {

/// Returns the number of the calling warp in the grid. Neighbouring numbers belong to different blocks, since
/// neighbouring work may take as long.
__device__ inline std::uint32_t warp_in_grid() { return threadIdx.x / 32 * gridDim.x + blockIdx.x; }
__device__ inline std::uint32_t warps_of_grid() { return blockDim.x / 32 * gridDim.x; }

/// All pairs, and the warps' shares of them, [warps], by their numbers in the grid.
template <class PairPhysics, int kPlaces, bool kOneSpecies>
struct Pairs {
  using Physics = PairPhysics;
  using Warp = rigid_tiles::RigidWarp<Physics, kPlaces, kOneSpecies>;
  using Memory = typename Warp::Memory;
  static constexpr std::uint32_t kWarps = kWarpsOfBlock<kPlaces>;

  rigid_tiles::RigidTilesView<kPlaces> tiles;
  PairTableView<float> table;
  Physics physics;
  const WarpItems* items;

  /// Adds the forces of all pairs to the sums. anchor: the origin of the tiles.
  __device__ void add(const StepView<float>& step, const Vec3<double>& anchor) const {
    extern __shared__ __align__(16) unsigned char memory[];
    Warp(tiles, table, physics, step, anchor, reinterpret_cast<Memory*>(memory)[threadIdx.x / 32])
        .run(items[warp_in_grid()]);
  }
};

/// A shift of all atoms to a new origin, or none.
struct Shift {
  bool shifts = false;
  Vec3<double> centre{};
  std::uint64_t now = 0;  ///< the step of the positions

  /// Returns the position of the atom at `index` after the shift, which it stores. By one thread for each atom.
  __device__ Vec3<double> operator()(const StepView<float>& step, std::uint32_t index) const {
    const Vec3<double> before = step.atoms.position[index];
    if (!shifts) return before;
    const Vec3<double> after = before - centre;
    step.atoms.position[index] = after;
    step.book_shift(index, before, after, now);
    return after;
  }
};

/// Calls use(tile) for the warp's j-tiles.
template <int kPlaces, class Use>
__device__ void for_j_tiles_of_warp(const rigid_tiles::RigidTilesView<kPlaces>& tiles, const Use& use) {
  const std::uint32_t n_tiles = (tiles.n + rigid_tiles::kJMolecules - 1) / rigid_tiles::kJMolecules;
  for (std::uint32_t tile = warp_in_grid(); tile < n_tiles; tile += warps_of_grid()) use(tile);
}

/// Moves atoms without constraints, and fills their tiles as they move. Its members are functions that kernels call, so
/// that their registers do not burden the loops over pairs.
struct AtomMover {
  static constexpr bool kFillsApart = false;

  rigid_tiles::RigidTilesView<1> tiles;

  /// Performs the parts of a step for all atoms, which have reached the step `now`, unless there has been a fault;
  /// returns whether it has. All threads of a block must call it, also below.
  template <class Parts, class Motion>
  __device__ __noinline__ bool step(const StepView<float>& step, const Motion& motion, const Vec3<double>& anchor,
                                    std::uint64_t now) const {
    // The lanes of a warp must agree.
    if (__any_sync(0xFFFFFFFFU, step.sums.errors.any())) return false;
    const auto move = [&](std::uint32_t index) { return step_atom<Parts>(step, motion, index, now, Parts::kMove); };
    for_j_tiles_of_warp(tiles, [&](std::uint32_t tile) {
      if constexpr (Parts::kFill)
        tiles.fill(tile, step, [&](std::uint32_t index) { return move(index) - anchor; });
      else if (const std::uint32_t index = tile * rigid_tiles::kJMolecules + threadIdx.x % 32; index < tiles.n)
        move(index);
    });
    return true;
  }

  /// Fills the tiles after a shift.
  __device__ __noinline__ void fill(const StepView<float>& step, const Shift& shift, const Vec3<double>& anchor) const {
    if (__any_sync(0xFFFFFFFFU, step.sums.errors.any())) return;
    for_j_tiles_of_warp(tiles, [&](std::uint32_t tile) {
      tiles.fill(tile, step, [&](std::uint32_t index) { return shift(step, index) - anchor; });
    });
  }
};

/// Moves rigid molecules. Their tiles are filled when all have moved.
template <class Solver>
struct MoleculeMover {
  static constexpr bool kFillsApart = true;
  static constexpr ClusterKinds kKinds = kHasSite<Solver> ? ClusterKinds::frequent_with_sites : ClusterKinds::frequent;

  rigid_tiles::RigidTilesView<kLanesOf<Solver>> tiles;
  ClusterViews clusters;

  template <class Parts, class Motion>
  __device__ __noinline__ bool step(const StepView<float>& step, const Motion& motion, const Vec3<double>&,
                                    std::uint64_t now) const {
    // The lanes of a warp must agree.
    if (__any_sync(0xFFFFFFFFU, step.sums.errors.any())) return false;
    const std::uint32_t group = threadIdx.x / MoleculeTuning::kThreads * gridDim.x + blockIdx.x,
                        n_groups = blockDim.x / MoleculeTuning::kThreads * gridDim.x;
    for_clusters_of_warp<kKinds>(clusters, group, n_groups,
                                 [&]<class Kind>(const ClusterView<Kind>& kind, std::uint32_t first) {
                                   step_clusters<Parts>(step, now, Parts::kMove, /*spreads=*/true, motion, kind, first);
                                 });
    return true;
  }

  /// Fills the tiles after a move, with a shift, and clears the force sums.
  __device__ __noinline__ void fill(const StepView<float>& step, const Shift& shift, const Vec3<double>& anchor) const {
    if (__any_sync(0xFFFFFFFFU, step.sums.errors.any())) return;
    for_j_tiles_of_warp(tiles, [&](std::uint32_t tile) {
      tiles.fill(tile, step, [&](std::uint32_t index) {
        step.sums.clear(index);
        return shift(step, index) - anchor;
      });
    });
  }
};

/// Returns the centre that becomes the origin: the same in all blocks. All threads must call it.
__device__ inline Vec3<double> find_centre(persistent::CentreSum& sum, const StepView<float>& step, bool by_mass) {
  const auto weight = [mass = step.atoms.mass, by_mass](std::uint32_t index) {
    return by_mass || mass[index] == 0 ? mass[index] : 1.0;
  };
  return sum.find(step.atoms.n_atoms, blockDim.x, {}, weight,
                  [position = step.atoms.position](std::uint32_t index) { return position[index]; });
}

/// Calls use(tile, lane) for the tiles of the warp, those of the general kernels.
template <class Use>
__device__ void for_tiles(std::uint32_t n_tiles, const Use& use) {
  for (std::uint32_t tile = warp_in_grid(); tile < n_tiles; tile += warps_of_grid())
    use(tile, static_cast<int>(threadIdx.x % 32));
}

/// Says which step the atoms have reached; nobody may read the clocks meanwhile.
__device__ inline void set_clocks(const StepView<float>& step, const StepClock& clock) {
  for_tiles(step.tiles.n_tiles(), [&](std::uint32_t tile, int lane) {
    if (lane == 0) step.clock[tile] = clock;
  });
}

/// Performs steps, with recentring.
template <class Pairs, class Mover, class Motion>
__global__ void __launch_bounds__(32 * Pairs::kWarps, 1)
    tile_steps_kernel(const __grid_constant__ StepView<float> step, const __grid_constant__ Pairs pairs,
                      const __grid_constant__ Mover mover, const __grid_constant__ Motion motion,
                      const __grid_constant__ StepsOfLaunch steps) {
  __shared__ persistent::CentreSum centre_sum;
  const auto grid = cooperative_groups::this_grid();
  std::uint64_t now = steps.now, until_centring = persistent::steps_to_recentring(steps.recenter_every, now);
  bool moved = mover.template step<MoveAndFill>(step, motion, steps.anchor, now);
  for (std::uint32_t left = steps.n;;) {
    grid.sync();
    Shift shift{--until_centring == 0, {}, ++now};
    if (shift.shifts) {
      until_centring = steps.recenter_every;
      shift.centre = find_centre(centre_sum, step, steps.mass_centre);
      grid.sync();
    }
    if (shift.shifts || Mover::kFillsApart) {
      mover.fill(step, shift, steps.anchor);
      grid.sync();
    }
    // A move counts before it is known that it is too long.
    if (moved) set_clocks(step, {now, StepClock::at_new_positions});
    pairs.add(step, steps.anchor);
    grid.sync();
    if (--left == 0) break;
    moved = mover.template step<FinishMoveAndFill>(step, motion, steps.anchor, now);
  }
  const bool finished = mover.template step<Finish>(step, motion, steps.anchor, now);
  grid.sync();
  if (!finished) return;
  set_clocks(step, {now, StepClock::complete});
  if (step.fills_tiles)  // for other kernels
    for_tiles(step.tiles.n_tiles(), [&](std::uint32_t tile, int lane) { fill_tile(step.tiles, tile, lane); });
}

}  // namespace tile_steps

}  // namespace dropmd

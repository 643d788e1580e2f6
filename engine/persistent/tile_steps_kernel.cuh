#pragma once

#include <cstdint>

#include "engine/device/molecules/molecule_kernels.cuh"
#include "engine/device/step_kernels.cuh"
#include "engine/persistent/grid_barrier.cuh"
#include "engine/persistent/persistent_kernel.cuh"
#include "engine/persistent/rigid_warp.cuh"
#include "engine/persistent/tile_steps.cuh"

/// The kernel of TileSteps, and what differs between atoms and rigid molecules: how they are moved.
namespace dropmd {

namespace tile_steps {

/// Returns the number of the calling warp in the grid. Neighbouring numbers belong to different blocks, since
/// neighbouring work may take equally long.
__device__ inline std::uint32_t warp_in_grid() { return threadIdx.x / 32 * gridDim.x + blockIdx.x; }
__device__ inline std::uint32_t warps_of_grid() { return blockDim.x / 32 * gridDim.x; }

/// All pairs, and the warps' shares of them, [warps], by their numbers in the grid.
template <class PairPhysics, int kPlaces, bool kOneSpecies>
struct Pairs {
  using Physics = PairPhysics;
  using Tiles = rigid_tiles::RigidTilesView<kPlaces>;
  using Memory = rigid_tiles::WarpMemory<kPlaces>;

  Tiles tiles;
  PairTableView<float> table;
  Physics physics;
  const WarpItems* items;
  std::uint64_t n_atom_pairs;

  __device__ WarpItems items_of_warp() const { return items[warp_in_grid()]; }
  /// Returns the coefficients of all pairs with a van der Waals term, if they have the same ones.
  __device__ LjCoefficients<float> only(const StepView<float>& step) const {
    if (!kOneSpecies || tiles.n == 0) return {};
    return table.coefficients[step.atoms.pair_species[tiles.index_at(0, 0)] * (table.n_species + 1)];
  }
  /// Adds the forces of the pairs of the warp's items to the sums. anchor: the origin of the tiles; coefficients: as
  /// only() returns them.
  __device__ void add(const StepView<float>& step, const Vec3<double>& anchor,
                      const LjCoefficients<float>& coefficients, const WarpItems& mine) const {
    warp<rigid_tiles::Wanted::forces>(step, anchor, coefficients).run(mine);
  }
  /// Stores the energies of the pairs of the warp's items, and with those of the first warp how many pairs of atoms
  /// there are: every pair counts, since at least one term has no cutoff. energy: [warps], by their numbers in the
  /// grid.
  __device__ void store_energies(const StepView<float>& step, const Vec3<double>& anchor,
                                 const LjCoefficients<float>& coefficients, PartialEnergy* energy) const {
    auto of_warp = warp<rigid_tiles::Wanted::energies>(step, anchor, coefficients);
    of_warp.run(items_of_warp());
    PartialEnergy sum = of_warp.energies();
    if (warp_in_grid() == 0) sum.within = n_atom_pairs;
    if (threadIdx.x % 32 == 0) energy[warp_in_grid()] = sum;
  }

 private:
  template <rigid_tiles::Wanted kWanted>
  __device__ auto warp(const StepView<float>& step, const Vec3<double>& anchor,
                       const LjCoefficients<float>& coefficients) const {
    extern __shared__ __align__(16) unsigned char memory[];
    return rigid_tiles::RigidWarp<Physics, kPlaces, kOneSpecies, kWanted>(
        tiles, table, coefficients, physics, step, anchor, reinterpret_cast<Memory*>(memory)[threadIdx.x / 32]);
  }
};

/// A shift of all atoms to a new origin, or none.
struct Shift {
  bool shifts = false;
  Vec3<double> centre{};
  std::uint64_t now = 0;  ///< the step of the positions

  /// Returns the position of the atom at `index` after the shift, and stores it. Called by one thread for each atom.
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

/// A copy of a kernel's argument in shared memory, for functions that the kernel calls. They would read the argument
/// itself through the cache, which a barrier of the grid empties.
template <class T>
class SharedCopy {
 public:
  /// Makes the copy, by all threads of the block; a barrier must follow.
  __device__ const T& of(const T& argument) {
    using Word = std::uint32_t;
    static_assert(sizeof(T) % sizeof(Word) == 0 && alignof(T) >= alignof(Word));
    const auto* from = reinterpret_cast<const Word*>(&argument);
    auto* to = reinterpret_cast<Word*>(memory_);
    for (auto k = threadIdx.x; k < sizeof(T) / sizeof(Word); k += blockDim.x) to[k] = from[k];
    return *reinterpret_cast<const T*>(memory_);
  }

 private:
  alignas(T) unsigned char memory_[sizeof(T)];
};

/// Moves atoms without constraints, and fills their tiles as they move. Its members are functions that kernels call, so
/// that their registers do not burden the loops over pairs.
struct AtomMover {
  static constexpr bool kFillsApart = false;

  rigid_tiles::RigidTilesView<1> tiles;

  /// Performs the parts of a step for all atoms, which have reached the step `now`, unless there has been a fault;
  /// returns whether it has performed them. All threads of a block must call this and the functions below.
  template <class Parts, class Motion>
  __device__ __noinline__ bool step(const StepView<float>& step, const Motion& motion, const Vec3<double>& anchor,
                                    std::uint64_t now) const {
    const bool broken = step.sums.errors.any();  // read beside the atoms
    for_j_tiles_of_warp(tiles, [&](std::uint32_t tile) {
      const std::uint32_t mine = tile * rigid_tiles::kJMolecules + threadIdx.x % 32;
      MovingAtom atom{};
      if (mine < tiles.n) {
        if constexpr (Parts::kFill) step.prefetch_kind(mine);  // the fill reads it later
        atom = step.load_atom(mine, now);
      }
      // The lanes of a warp must agree.
      if (__any_sync(0xFFFFFFFFU, broken)) return;
      const auto move = [&](std::uint32_t index) {
        return step_atom<Parts>(step, motion, atom, index, now, Parts::kMove) - anchor;
      };
      if constexpr (Parts::kFill)
        tiles.fill(tile, step, move);
      else if (mine < tiles.n)
        move(mine);
    });
    return !__any_sync(0xFFFFFFFFU, broken);
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

/// Stores the sums of the atoms of each tile in the complete step `now`. of_tiles: [tiles of the general kernels].
__device__ __noinline__ inline void store_sums(const StepView<float>& step, std::uint64_t now, StepSums* of_tiles) {
  for_tiles(step.tiles.n_tiles(), [&](std::uint32_t tile, int lane) {
    const StepSums sums = sums_of_tile(step, tile, lane, now, /*of_droplet=*/false);
    if (lane == 0) of_tiles[tile] = sums;
  });
}

/// Adds up the sums of all tiles and the energies of all warps, in the same order every time; by one warp.
__device__ __noinline__ inline void store_total(const StoredSums& sums, std::uint32_t n_tiles, std::uint32_t n_warps) {
  const std::uint32_t lane = threadIdx.x % 32;
  PartialEnergy of_pairs{0, 0, 0};
  for (std::uint32_t warp = lane; warp < n_warps; warp += 32) of_pairs = of_pairs + sums.of_pairs[warp];
  StepSums total;
  for (std::uint32_t tile = lane; tile < n_tiles; tile += 32) total += sums.of_tiles[tile];
  total.pairs = total.pairs + of_pairs;
  total = sum_of_warp(total);
  if (lane == 0) *sums.total = total;
}

/// What a warp keeps from one step to the next. It is in shared memory: the loops over pairs may leave no registers for
/// it, and every barrier of the grid empties the cache of local memory.
struct WarpState {
  std::uint64_t now;             ///< complete step, or that of the positions
  std::uint64_t moved_to;        ///< step of the positions; after a fault it stays behind `now`
  std::uint64_t until_centring;  ///< steps to the next recentring
  std::uint32_t left;            ///< steps
  WarpItems items;

  /// Begins the next step. moved: whether the warp has moved its atoms. All lanes must call it.
  __device__ void advance(bool moved) {
    __syncwarp();  // all have read the state
    if (threadIdx.x % 32 == 0) {
      ++now, --until_centring, --left;
      if (moved) moved_to = now;  // a move counts before it is known that it is too long
    }
    __syncwarp();
  }
};

/// Performs steps, with recentring. If sums of the last one are wanted, it computes them, too: another kernel could not
/// begin as early, and the kernels of other runs would take the multiprocessors meanwhile.
template <class Pairs, class Mover, class Motion>
__global__ void __launch_bounds__(32 * kWarpsOfBlock, 1)
    tile_steps_kernel(const __grid_constant__ StepView<float> step, const __grid_constant__ Pairs pairs,
                      const __grid_constant__ Mover mover_argument, const __grid_constant__ Motion motion_argument,
                      const __grid_constant__ StepsOfLaunch steps) {
  __shared__ persistent::CentreSum centre_sum;
  __shared__ SharedCopy<StepView<float>> step_copy;
  __shared__ SharedCopy<Mover> mover_copy;
  __shared__ SharedCopy<Motion> motion_copy;
  __shared__ SharedCopy<Vec3<double>> anchor_copy;
  __shared__ LjCoefficients<float> only;
  __shared__ WarpState states[kWarpsOfBlock];
  const StepView<float>& called_step = step_copy.of(step);
  const Mover& mover = mover_copy.of(mover_argument);
  const Motion& motion = motion_copy.of(motion_argument);
  const Vec3<double>& anchor = anchor_copy.of(steps.anchor);
  WarpState& mine = states[threadIdx.x / 32];
  if (threadIdx.x % 32 == 0)
    mine = {steps.now, steps.now, persistent::steps_to_recentring(steps.recenter_every, steps.now), steps.n,
            pairs.items_of_warp()};
  if (threadIdx.x == 0) only = pairs.only(step);
  __syncthreads();
  GridBarrier barrier(steps.barrier);
  bool moved = mover.template step<MoveAndFill>(called_step, motion, anchor, mine.now);
  for (;;) {
    mine.advance(moved);
    barrier.wait();
    const bool shifts = mine.until_centring == 0;
    if (shifts || Mover::kFillsApart) {
      Shift shift{shifts, {}, mine.now};
      if (shifts) {
        shift.centre = find_centre(centre_sum, step, steps.mass_centre);
        if (threadIdx.x % 32 == 0) mine.until_centring = steps.recenter_every;
        barrier.wait();
      }
      mover.fill(called_step, shift, anchor);
      barrier.wait();
    }
    pairs.add(step, steps.anchor, only, mine.items);
    barrier.wait();
    if (mine.left == 0) break;
    moved = mover.template step<FinishMoveAndFill>(called_step, motion, anchor, mine.now);
  }
  const bool finished = mover.template step<Finish>(called_step, motion, anchor, mine.now);
  barrier.wait();
  if (!finished) {
    if (mine.moved_to > steps.now) set_clocks(step, {mine.moved_to, StepClock::at_new_positions});
    return;
  }
  set_clocks(step, {mine.now, StepClock::complete});
  if (step.fills_tiles)  // for other kernels
    for_tiles(step.tiles.n_tiles(), [&](std::uint32_t tile, int lane) { fill_tile(step.tiles, tile, lane); });
  if (steps.sums.total == nullptr) return;
  store_sums(called_step, mine.now, steps.sums.of_tiles);
  pairs.store_energies(step, steps.anchor, only, steps.sums.of_pairs);
  barrier.wait();
  if (warp_in_grid() == 0) store_total(steps.sums, step.tiles.n_tiles(), warps_of_grid());
}

/// Fills the tiles from the positions of a complete step; a warp fills one.
template <class Tiles>
__global__ void fill_rigid_tiles_kernel(const __grid_constant__ StepView<float> step,
                                        const __grid_constant__ Tiles tiles, Vec3<double> anchor) {
  for_j_tiles_of_warp(tiles, [&](std::uint32_t tile) {
    tiles.fill(tile, step, [&](std::uint32_t index) { return step.atoms.position[index] - anchor; });
  });
}

/// Computes the energies of all pairs from the tiles, with as many warps as a step has. energy: [warps].
template <class Pairs>
__global__ void __launch_bounds__(32 * kWarpsOfBlock, 1)
    rigid_energies_kernel(const __grid_constant__ StepView<float> step, const __grid_constant__ Pairs pairs,
                          const __grid_constant__ Vec3<double> anchor, PartialEnergy* energy) {
  pairs.store_energies(step, anchor, pairs.only(step), energy);
}

}  // namespace tile_steps

}  // namespace dropmd

#pragma once

#include <cstdint>

#include "device/launch.cuh"
#include "engine/device/peers/own_steps.cuh"

/// The end of a step by own tiles, for atoms without constraints and virtual sites: those of a range of tiles.
namespace dropmd {

namespace own_atoms {

/// Adds the forces that other GPUs have computed on an own tile, as take_forces() does; one warp, whose lanes have two
/// atoms each, as in step_tile().
template <class Real>
__device__ inline void take_forces_on_tile(const OwnAtomsView<Real>& own, const ForceSumsView<Real>& sums,
                                           std::uint32_t tile, int lane, bool rare) {
  const auto at = [&](int atom) { return ForceSumsView<Real>::slot(tile * kTileAtoms + 32 * atom + lane); };
  take_forces<2>(own, sums, tile, at, rare);
}

/// Gives the new positions of an own tile to the GPUs that need them; without a list the tile has a new frame.
template <class Real>
__device__ inline void give_tile(const OwnAtomsView<Real>& own, const StepView<Real>& step, std::uint32_t tile,
                                 int lane) {
  own.for_others_that_need(tile, [&](const OwnAtomsArrays<Real>& other, const NeedOfTile& needed) {
#pragma unroll
    for (int k = 0; k < 2; ++k)
      // Places after the last atom never change.
      if (const std::uint32_t index = tile * kTileAtoms + 32 * k + lane; index < step.atoms.n_atoms)
        give_position(other, needed, step, index, step.fills_tiles);
    if (!step.fills_tiles || step.searches()) return;
    if (lane == 0) other.frame[tile] = step.tiles.frame[tile];
    if (const std::uint32_t box = tile * kJTilesPerTile + lane; lane < kJTilesPerTile)
      other.box[box] = step.tiles.box[box];
  });
}

/// Performs the parts of a step for the own atoms, with one warp for each tile; at least one block.
template <class Parts, class Real, class Motion>
__global__ void __launch_bounds__(64)
    step_kernel(const __grid_constant__ StepView<Real> step, const __grid_constant__ Motion motion,
                const __grid_constant__ OwnAtomsView<Real> own) {
  static_assert(Parts::kFinish && !Motion::kGloballyCoupled);
  wait_for_kernel_before();
  const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, tile = own.first_tile + thread / 32;
  const int lane = static_cast<int>(threadIdx.x % 32);
  // The clocks of all tiles are equal. While the kernel runs, other blocks write those of other tiles.
  const StepClock clock = step.clock[min(own.first_tile + blockIdx.x * (blockDim.x / 32), own.n_tiles - 1)];
  const OwnTurn now = begin_step<Parts>(own, step, clock, /*is_first=*/true);
  if (!now.turn.is) return;
  if (now.performs()) {
    if (own.has_tile(tile)) {
      take_forces_on_tile(own, step.sums, tile, lane, now.heard.rare);
      step_tile<Parts>(step, motion, tile, lane);
      if (now.turn.moves) give_tile(own, step, tile, lane);
    }
    for (std::uint32_t other = thread; other < own.n_tiles; other += gridDim.x * blockDim.x)
      if (!own.has_tile(other)) step.clock[other] = clock_after<Parts, false>(now.turn, clock);
  }
  if (peer_signals::is_last_block(own.signals)) end_step(own, step, now);
}

}  // namespace own_atoms

}  // namespace dropmd

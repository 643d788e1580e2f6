#pragma once

#include <cstdint>

#include "engine/device_state.cuh"
#include "engine/step_sums.cuh"
#include "forces/any_wall.h"
#include "inputs/run_config.h"

/// What a step does to the atoms between two computations of the forces; a warp a tile, two atoms a lane.
namespace dropmd {

/// What stops a run; codes of an ErrorRecord beside ForceFault, the index being the atom's number.
enum class MoveFault : std::uint8_t { too_far = 2 };

/// Everything that the kernels of a step see.
template <class Real>
struct StepView {
  DeviceStateView atoms;
  AtomTilesView<Real> tiles;
  ForceSumsView<Real> sums;
  AnyWall wall;
  double longest_move2;      ///< a longer move, squared, breaks the physics
  std::uint64_t* tile_step;  ///< [n_tiles] step that the tile's positions belong to
};

/// What one kernel does, in this order; a type, as nvcc's stubs take no structs for template arguments.
template <bool kFinishVelocity, bool kSteerVelocity, bool kMoveAtom, bool kFillTiles>
struct StepParts {
  static constexpr bool kFinish = kFinishVelocity;  ///< the integrator's second part
  static constexpr bool kSteered = kSteerVelocity;  ///< what steering makes of the velocity
  static constexpr bool kMove = kMoveAtom;          ///< the first part of the next step; uses the forces up
  static constexpr bool kFill = kFillTiles;         ///< the tiles of the new positions
};
using Finish = StepParts<true, false, false, false>;
using Steered = StepParts<false, true, false, false>;
using Move = StepParts<false, false, true, false>;
using MoveAndFill = StepParts<false, false, true, true>;
using FinishMoveAndFill = StepParts<true, false, true, true>;
using SteeredMoveAndFill = StepParts<false, true, true, true>;

template <class Real>
__device__ inline MovingAtom load_atom(const StepView<Real>& step, std::uint32_t place) {
  MovingAtom atom{
      step.atoms.position[place], step.atoms.velocity[place], {}, step.atoms.mass[place], step.atoms.number[place]};
  atom.force = step.sums.get(place) + step.wall(atom.position).force;
  return atom;
}

template <class Parts, class Real, class Motion>
__device__ inline void step_tile(const StepView<Real>& step, const Motion& motion, std::uint32_t tile, int lane) {
  // The step is not made: the host makes it and says what breaks. Asked together: the lanes must agree.
  if (__any_sync(0xFFFFFFFFU, step.sums.errors.any())) return;
  const std::uint64_t now = step.tile_step[tile];
  Vec3<double> moved_to[2] = {};
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const std::uint32_t place = tile * kTileAtoms + 32 * k + lane;
    if (place >= step.atoms.n_atoms) continue;
    MovingAtom atom = load_atom(step, place);
    if constexpr (Parts::kFinish) motion.finish(atom, now);
    if constexpr (Parts::kSteered) motion.steered(atom);
    if constexpr (Parts::kMove) {
      step.sums.clear(place);
      const Vec3<double> before = atom.position;
      motion.move(atom, now + 1);
      const Vec3<double> d = atom.position - before;
      if (!(dot(d, d) <= step.longest_move2))  // NaN, too
        step.sums.errors.report(static_cast<std::uint8_t>(MoveFault::too_far), atom.number);
      step.atoms.position[place] = atom.position;
    }
    step.atoms.velocity[place] = atom.velocity;
    moved_to[k] = atom.position;
  }
  if constexpr (Parts::kFill) fill_tile(step.tiles, tile, lane, moved_to);
  __syncwarp();
  if (Parts::kMove && lane == 0) step.tile_step[tile] = now + 1;
}

/// The integrator as an argument.
template <class Parts, class Real, class Motion>
__global__ void __launch_bounds__(64)
    step_kernel(const __grid_constant__ StepView<Real> step, const __grid_constant__ Motion motion) {
  const std::uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (tile < step.tiles.n_tiles()) step_tile<Parts>(step, motion, tile, static_cast<int>(threadIdx.x % 32));
}

/// The integrator in device memory, where it is steered.
template <class Parts, class Real, class Motion>
__global__ void __launch_bounds__(64)
    steered_step_kernel(const __grid_constant__ StepView<Real> step, const Motion* motion) {
  const std::uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (tile < step.tiles.n_tiles()) step_tile<Parts>(step, *motion, tile, static_cast<int>(threadIdx.x % 32));
}

template <class Motion>
__global__ void steer_kernel(Motion* motion, const StepSums* total, const std::uint64_t* tile_step,
                             ErrorRecordView errors) {
  if (!errors.any()) motion->steer(total->motion, tile_step[0]);
}

/// What one atom adds.
template <class Real>
__device__ inline StepSums sums_of(const StepView<Real>& step, std::uint32_t place) {
  const MovingAtom atom = load_atom(step, place);
  StepSums sums;
  sums.wall = step.wall(atom.position).energy;
  sums.motion = motion_sums(atom);
  sums.momentum = atom.mass * atom.velocity;
  sums.position = atom.position;
  sums.mass_moment = atom.mass * atom.position;
  sums.mass = atom.mass;
  sums.largest_f2 = dot(atom.force, atom.force);
  return sums;
}

/// d_tile: [n_tiles]
template <class Real>
__global__ void __launch_bounds__(64) tile_sums_kernel(const __grid_constant__ StepView<Real> step, StepSums* d_tile) {
  const std::uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (tile >= step.tiles.n_tiles()) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  StepSums sums;
  for (int k = 0; k < 2; ++k) {
    const std::uint32_t place = tile * kTileAtoms + 32 * k + lane;
    if (place < step.atoms.n_atoms) sums += sums_of(step, place);
  }
  for (int mask = 16; mask > 0; mask /= 2) {
    StepSums other;
    constexpr int kWords = sizeof(StepSums) / sizeof(double);
    static_assert(sizeof(StepSums) % sizeof(double) == 0);
    const auto* from = reinterpret_cast<const double*>(&sums);
    auto* to = reinterpret_cast<double*>(&other);
#pragma unroll
    for (int w = 0; w < kWords; ++w) to[w] = __shfl_xor_sync(0xFFFFFFFFU, from[w], mask);
    sums += other;
  }
  if (lane == 0) d_tile[tile] = sums;
}

/// The geometric or the mass centre moves to the origin; then the tiles are filled.
template <bool kMassCentre, class Real>
__global__ void __launch_bounds__(64)
    recenter_kernel(const __grid_constant__ StepView<Real> step, const StepSums* total) {
  const std::uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (tile >= step.tiles.n_tiles() || step.sums.errors.any()) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const Vec3<double> centre = kMassCentre ? (1.0 / total->mass) * total->mass_moment
                                          : (1.0 / static_cast<double>(step.atoms.n_atoms)) * total->position;
  for (int k = 0; k < 2; ++k) {
    const std::uint32_t place = tile * kTileAtoms + 32 * k + lane;
    if (place < step.atoms.n_atoms) step.atoms.position[place] -= centre;
  }
}

template <class Real>
__global__ void remove_momentum_kernel(const __grid_constant__ StepView<Real> step, const StepSums* total) {
  const std::uint32_t place = blockIdx.x * blockDim.x + threadIdx.x;
  if (place >= step.atoms.n_atoms || step.sums.errors.any()) return;
  step.atoms.velocity[place] -= (1.0 / total->mass) * total->momentum;
}

}  // namespace dropmd

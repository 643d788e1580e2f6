#pragma once

#include <cstdint>

#include "core/run/run_settings.h"
#include "device/launch.cuh"
#include "device/loop_graph.cuh"
#include "engine/device/step_sums_of_atoms.cuh"
#include "integrators/kinetic_change.h"

/// The part of a step between two computations of the forces; one warp per tile, two atoms per lane.
namespace dropmd {

/// The parts that a kernel performs, in this order; a type, since nvcc's stubs do not accept structs as template
/// arguments.
template <bool kFinishVelocity, bool kCoupleVelocity, bool kMoveAtom, bool kFillTiles>
struct StepParts {
  static constexpr bool kFinish = kFinishVelocity;   ///< the integrator's second part
  static constexpr bool kCoupled = kCoupleVelocity;  ///< the coupling update of the velocity
  static constexpr bool kMove = kMoveAtom;           ///< the first part of the next step; consumes the forces
  static constexpr bool kFill = kFillTiles;          ///< fills the tiles with the new positions
};
using Finish = StepParts<true, false, false, false>;
using Coupled = StepParts<false, true, false, false>;
using Move = StepParts<false, false, true, false>;
using MoveAndFill = StepParts<false, false, true, true>;
using FinishMoveAndFill = StepParts<true, false, true, true>;
using CoupledMoveAndFill = StepParts<false, true, true, true>;

/// Returns whether it is this kernel's turn: with a neighbour structure kernels are launched in advance.
template <class Parts, class Real>
__device__ inline bool is_turn(const StepView<Real>& step, const StepClock& now) {
  if constexpr (Parts::kFinish) return now.phase() == StepClock::at_new_positions && step.search_serves(now.step());
  return now.phase() == (Parts::kCoupled ? StepClock::finished : StepClock::complete);
}

/// What a kernel with certain parts has to do.
struct Turn {
  bool is;     ///< whether it is its turn
  bool moves;  ///< whether it moves atoms
};

/// Returns the turn of a kernel for atoms with this clock.
template <class Parts, class Real>
__device__ inline Turn turn_of(const StepView<Real>& step, const StepClock& now) {
  if (!step.searches()) return {true, Parts::kMove};
  const bool is = is_turn<Parts>(step, now);
  return {is, is && Parts::kMove && now.step() < *step.last_step};
}

/// Returns the clock of atoms for which a kernel with these parts has had its turn.
template <class Parts, bool kGloballyCoupled>
__device__ inline StepClock clock_after(const Turn& turn, const StepClock& before) {
  if (!turn.is) return before;
  if (turn.moves) return {before.step() + 1, StepClock::at_new_positions};
  return {before.step(), Parts::kFinish && kGloballyCoupled ? StepClock::finished : StepClock::complete};
}

/// Performs the parts of a step for the atom at `index`, which has reached the step `now`; returns its position. atom:
/// as StepView::load_atom() returns it; moves: as in Turn.
template <class Parts, class Real, class Motion>
__device__ inline Vec3<double> step_atom(const StepView<Real>& step, const Motion& motion, MovingAtom atom,
                                         std::uint32_t index, std::uint64_t now, bool moves) {
  if constexpr (Motion::kAllowsSlowForces)
    if (step.slow.low != nullptr) atom.force += step.slow.further_impulse(step.sums, index, now);
  if constexpr (Parts::kFinish) motion.finish(atom, now);
  if constexpr (Parts::kCoupled) motion.apply_coupling(atom);
  if constexpr (Parts::kCoupled && Motion::kBath) step.book_heat(atom, index);
  if (Parts::kMove && moves) {
    step.sums.clear(index);
    step.move_atom(motion, atom, index, now + 1);
    step.atoms.position[index] = atom.position;
    if (step.searches()) step.check_displacement(index, atom.position, now + 1);
  }
  step.atoms.velocity[index] = atom.velocity;
  return atom.position;
}

/// Performs the parts of a step for the atoms of a tile, if it is their turn; by one warp.
template <class Parts, class Real, class Motion>
__device__ inline void step_tile(const StepView<Real>& step, const Motion& motion, std::uint32_t tile, int lane) {
  // After a fault no step is performed: the host repeats it and reports the fault. The lanes vote, since they must
  // agree.
  if (__any_sync(0xFFFFFFFFU, step.sums.errors.any())) return;
  const StepClock clock = step.clock[tile];
  const Turn turn = turn_of<Parts>(step, clock);
  if (!__all_sync(0xFFFFFFFFU, turn.is)) return;
  Vec3<double> moved_to[2] = {};
#pragma unroll
  for (int k = 0; k < 2; ++k)
    if (const std::uint32_t index = tile * kTileAtoms + 32 * k + lane; index < step.atoms.n_atoms)
      moved_to[k] =
          step_atom<Parts>(step, motion, step.load_atom(index, clock.step()), index, clock.step(), turn.moves);
  if (Parts::kFill && turn.moves && step.fills_tiles) {
    if (step.searches())
      fill_tile_in_frame(step.tiles, tile, lane, step.tiles.frame[tile].centre, moved_to);
    else
      fill_tile(step.tiles, tile, lane, moved_to);
  }
  __syncwarp();
  if (lane == 0) step.clock[tile] = clock_after<Parts, Motion::kGloballyCoupled>(turn, clock);
}

/// Performs the parts of a step, with the integrator as an argument.
template <class Parts, class Real, class Motion>
__global__ void __launch_bounds__(64)
    step_kernel(const __grid_constant__ StepView<Real> step, const __grid_constant__ Motion motion) {
  wait_for_kernel_before();
  const std::uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (tile < step.tiles.n_tiles()) step_tile<Parts>(step, motion, tile, static_cast<int>(threadIdx.x % 32));
}

/// The same with the integrator in device memory, for globally coupled integrators.
template <class Parts, class Real, class Motion>
__global__ void __launch_bounds__(64)
    coupled_step_kernel(const __grid_constant__ StepView<Real> step, const Motion* motion) {
  wait_for_kernel_before();
  const std::uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (tile < step.tiles.n_tiles()) step_tile<Parts>(step, *motion, tile, static_cast<int>(threadIdx.x % 32));
}

/// Controls loops of steps with a neighbour structure: sets whether there are steps to perform and, with an inner loop,
/// whether the structure is valid for the next of them.
template <class Real>
__global__ void loop_condition_kernel(const __grid_constant__ StepView<Real> step, LoopCondition outer,
                                      LoopCondition inner, bool has_inner) {
  const StepClock now = *step.clock;
  const bool yes = now.moved() && !step.sums.errors.any() && step.displacement.state->full == 0;
  outer.set(yes);
  if (has_inner) inner.set(yes && step.search_serves(now.step()));
}

/// Sets a word in device memory, in stream order.
static __global__ void set_word_kernel(std::uint64_t* word, std::uint64_t value) { *word = value; }

/// Passes the sums over all atoms to a globally coupled integrator, if the atoms have finished the step; one thread.
template <class Motion>
__global__ void coupling_kernel(Motion* motion, const StepSums* total, const StepClock* clock, ErrorRecordView errors) {
  if (!errors.any() && clock->phase() == StepClock::finished) motion->couple(total->motion, clock->step());
}

/// Returns, in lane 0, the sums over a tile's atoms, whose complete step is `now`; by one warp. of_droplet: over the
/// droplet's members alone.
template <class Real>
__device__ inline StepSums sums_of_tile(const StepView<Real>& step, std::uint32_t tile, int lane, std::uint64_t now,
                                        bool of_droplet) {
  StepSums sums;
  for (int k = 0; k < 2; ++k) {
    const std::uint32_t index = tile * kTileAtoms + 32 * k + lane;
    if (index >= step.atoms.n_atoms || (of_droplet && !step.in_droplet(index))) continue;
    if (step.is_site(index)) {
      sums += sums_of_site(step, index, now);
      continue;
    }
    MovingAtom atom = step.load_atom(index, now);
    if (step.projected != nullptr) atom.force = step.projected[index];
    sums += sums_of(step, index, atom, now);
  }
  return sum_of_warp(sums);
}

/// Computes the sums of each tile. d_tile: [n_tiles]; of_droplet: over the droplet's members alone.
template <class Real>
__global__ void __launch_bounds__(64)
    tile_sums_kernel(const __grid_constant__ StepView<Real> step, bool of_droplet, StepSums* d_tile) {
  const std::uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (tile >= step.tiles.n_tiles()) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const StepSums sums = sums_of_tile(step, tile, lane, step.clock[tile].step(), of_droplet);
  if (lane == 0) d_tile[tile] = sums;
}

/// Moves the geometric centre or the centre of mass to the origin, which makes a neighbour structure stale.
template <bool kMassCentre, class Real>
__global__ void __launch_bounds__(64)
    recenter_kernel(const __grid_constant__ StepView<Real> step, const StepSums* total) {
  const std::uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (tile >= step.tiles.n_tiles() || step.sums.errors.any()) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (kMassCentre && total->mass == 0) return;  // a droplet without members
  const Vec3<double> centre = kMassCentre ? (1.0 / total->mass) * total->mass_moment
                                          : (1.0 / static_cast<double>(step.n_with_mass)) * total->position;
  for (int k = 0; k < 2; ++k) {
    const std::uint32_t index = tile * kTileAtoms + 32 * k + lane;
    if (index >= step.atoms.n_atoms) continue;
    const Vec3<double> before = step.atoms.position[index], after = before - centre;
    step.atoms.position[index] = after;
    step.book_shift(index, before, after, step.clock[tile].step());
  }
  // Frames are not moved: the next build of the neighbour structure sets new ones.
  if (step.searches() && tile == 0 && lane == 0)
    step.displacement.state->stale_at = step.stale_mark(step.clock->step());
}

/// Removes the velocity of the centre of mass, of all atoms or of the droplet's members; one thread per atom.
template <class Real>
__global__ void remove_momentum_kernel(const __grid_constant__ StepView<Real> step, bool of_droplet,
                                       const StepSums* total) {
  const std::uint32_t index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= step.atoms.n_atoms || step.sums.errors.any() || step.is_site(index)) return;
  if (of_droplet && !step.in_droplet(index)) return;
  const Vec3<double> before = step.atoms.velocity[index], after = before - (1.0 / total->mass) * total->momentum;
  step.atoms.velocity[index] = after;
  if (step.ledger.momentum != nullptr)
    step.book(step.ledger.momentum, index, kinetic_change(step.ledger.per_mv2, step.atoms.mass[index], before, after));
}

}  // namespace dropmd

#pragma once

#include <cstdint>
#include <type_traits>

#include "device/communicator/peer_balance.cuh"
#include "device/communicator/peer_signals.cuh"
#include "device/communicator/work_share.h"
#include "device/launch.cuh"
#include "engine/device/peers/peer_arrays.cuh"
#include "engine/device/step_kernels.cuh"

/// The end of a step on several GPUs of which each moves its own atoms, those of a range of tiles. Each has computed
/// some of the pairs, with forces on its own atoms and on others: with a list those near the border. The owner of a
/// tile adds up the forces on it, moves the atoms, and gives the new positions to those who need them for their pairs.
namespace dropmd {

/// What a GPU knows of these steps, in its memory.
struct OwnAtomsState {
  std::uint32_t apart;    ///< whether only the owners have the present state of the atoms
  std::uint32_t stopped;  ///< whether a fault has been found, which then all GPUs know
};

/// What the others access of a GPU.
template <class Real>
struct OwnAtomsArrays {
  Vec3<double>* position;
  LocalAtom<Real>*local, *low_order;  ///< this and the next two: AtomTilesView
  TileFrame<Real>* frame;
  JTileBox<Real>* box;
  unsigned long long *low, *high;  ///< ForceSumsView
  SearchState* search;
  const unsigned long long* first_fault;  ///< ErrorRecordView::first()
};

template <class Real>
struct OwnAtomsView {
  OwnAtomsArrays<Real> of[PeerGroup::kMost];  ///< of each GPU, by rank
  PeerBalanceState* balance[PeerGroup::kMost];
  PeerSignalsView signals;
  OwnAtomsState* state;
  const std::uint8_t* touched_by;  ///< ListBoxes::touched_by(); null: each computes pairs of all tiles
  std::uint32_t n_tiles, first_tile, end_tile;

  DROPMD_HOST_DEVICE bool has(std::uint32_t tile) const { return tile >= first_tile && tile < end_tile; }
  /// Calls do(arrays) for every other GPU that computes pairs of an own tile.
  template <class Do>
  __device__ void for_others_near(std::uint32_t tile, const Do& call) const {
    for (std::uint32_t rank = 0; rank < signals.size; ++rank)
      if (rank != signals.rank && (touched_by == nullptr || touched_by[std::size_t{rank} * n_tiles + tile] != 0))
        call(of[rank]);
  }
};

#if defined(__CUDACC__)

namespace own_atoms {

/// Adds the forces that other GPUs have computed on the atoms of an own tile, and takes them away there; one warp,
/// whose lanes have two atoms each, as in step_tile(). rare: whether there are terms in `high`.
template <class Real>
__device__ inline void take_forces(const OwnAtomsView<Real>& own, const ForceSumsView<Real>& sums, std::uint32_t tile,
                                   int lane, bool rare) {
  constexpr int kWords = 6;  // of a lane
  const auto at = [&](int k) {
    return ForceSumsView<Real>::slot(tile * kTileAtoms + 32 * (k / 3) + lane) + k % 3 * kTileAtoms;
  };
  const auto take = [&](unsigned long long* OwnAtomsArrays<Real>::*word, unsigned long long* mine) {
    unsigned long long sum[kWords] = {}, any[kWords] = {};
    // All are read before anything is written, so that the ways to the other GPUs overlap.
    own.for_others_near(tile, [&](const OwnAtomsArrays<Real>& other) {
#pragma unroll
      for (int k = 0; k < kWords; ++k) {
        const unsigned long long term = __ldcv(other.*word + at(k));
        sum[k] += term;
        any[k] |= term;
      }
    });
#pragma unroll
    for (int k = 0; k < kWords; ++k)
      if (any[k] != 0) mine[at(k)] += sum[k];
    own.for_others_near(tile, [&](const OwnAtomsArrays<Real>& other) {
#pragma unroll
      for (int k = 0; k < kWords; ++k)
        if (any[k] != 0) (other.*word)[at(k)] = 0;
    });
  };
  take(&OwnAtomsArrays<Real>::low, sums.low);
  if (rare) take(&OwnAtomsArrays<Real>::high, sums.high);
}

/// Gives the new positions of an own tile to those that compute its pairs: the tile itself, if pairs use the tiles,
/// which without a list has a new frame.
template <class Real>
__device__ inline void give_tile(const OwnAtomsView<Real>& own, const StepView<Real>& step, std::uint32_t tile,
                                 int lane) {
  own.for_others_near(tile, [&](const OwnAtomsArrays<Real>& other) {
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const std::uint32_t index = tile * kTileAtoms + 32 * k + lane;
      if (!step.fills_tiles) {
        if (index < step.atoms.n_atoms) other.position[index] = step.atoms.position[index];
        continue;
      }
      other.local[index] = step.tiles.local[index];
      if constexpr (std::is_same_v<Real, float>) other.low_order[index] = step.tiles.low_order[index];
    }
    if (!step.fills_tiles || step.searches()) return;
    if (lane == 0) other.frame[tile] = step.tiles.frame[tile];
    if (const std::uint32_t box = tile * kJTilesPerTile + lane; lane < kJTilesPerTile)
      other.box[box] = step.tiles.box[box];
  });
}

/// Ends the round, by the last block: tells the others whether the list is stale and whether there is a fault. heard:
/// what they said at its beginning.
template <class Real>
__device__ inline void end_step(const OwnAtomsView<Real>& own, const StepView<Real>& step, std::uint32_t round,
                                const peer_signals::Heard& heard, std::uint64_t stale_mark) {
  const std::uint32_t peer = threadIdx.x;
  const auto stale_at = [](SearchState * search) -> volatile std::uint64_t& { return search->stale_at; };
  if (step.searches() && peer < own.signals.size && stale_at(step.displacement.state) == stale_mark)
    stale_at(own.of[peer].search) = stale_mark;
  const bool fault = heard.fault || step.sums.errors.any();
  const peer_signals::Heard ended = peer_signals::finish(own.signals, round, fault ? PeerWord::kFault : 0);
  if (!ended.come) return;
  if (ended.fault && peer < own.signals.size) step.sums.errors.take_over(__ldcv(own.of[peer].first_fault));
  if (peer != 0) return;
  own.state->apart = 1;
  if (ended.fault) own.state->stopped = 1;
  *step.sums.any_high = 0;
  peer_balance::begin_work(own.balance, own.signals.rank);
  peer_signals::end_round(own.signals, round);
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
  const Turn turn = turn_of<Parts>(step, clock);
  if (!turn.is || own.state->stopped != 0) return;
  const std::uint32_t round = own.signals.next_round();
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) peer_balance::note_time(own.balance, own.signals.rank, false);
    peer_signals::say_ready(
        own.signals, round,
        (*step.sums.any_high != 0 ? PeerWord::kRare : 0) | (step.sums.errors.any() ? PeerWord::kFault : 0));
  }
  const peer_signals::Heard heard = peer_signals::wait_until_ready(own.signals, round);
  if (!heard.come) {
    // A peer cannot go on, and the run ends with what it says. Without a fault, the device's loop of steps would not.
    if (thread == 0) step.sums.errors.report(static_cast<std::uint8_t>(ForceFault::not_finite), 0);
    return;
  }
  if (!heard.fault) {
    if (own.has(tile)) {
      take_forces(own, step.sums, tile, lane, heard.rare);
      step_tile<Parts>(step, motion, tile, lane);
      if (turn.moves) give_tile(own, step, tile, lane);
    }
    for (std::uint32_t other = thread; other < own.n_tiles; other += gridDim.x * blockDim.x)
      if (!own.has(other)) step.clock[other] = clock_after<Parts, false>(turn, clock);
  }
  if (!peer_signals::is_last_block(own.signals)) return;
  end_step(own, step, round, heard, StepView<Real>::stale_mark(clock.step() + 1));
}

/// Takes the positions of all atoms from their owners if the list is to be built for them; one thread per atom. The
/// owners do not move them before this GPU has built its part of the list.
template <class Real>
__global__ void __launch_bounds__(128) take_positions_kernel(const __grid_constant__ OwnAtomsView<Real> own,
                                                             Vec3<double>* position, std::uint32_t n_atoms) {
  wait_for_kernel_before();
  const std::uint32_t index = blockIdx.x * blockDim.x + threadIdx.x, tile = index / kTileAtoms;
  if (own.state->apart == 0 || !own.of[own.signals.rank].search->stale()) return;
  if (index >= n_atoms || own.has(tile)) return;
  for (std::uint32_t rank = 0; rank < own.signals.size; ++rank)
    if (WorkShare{rank, own.signals.size}.has(tile, own.n_tiles)) position[index] = own.of[rank].position[index];
}

/// What complete_kernel gives and to whom.
struct CompletionView {
  PeerArrays of[PeerGroup::kMost];
  PeerSignalsView signals;
  OwnAtomsState* state;
  const std::uint32_t* host_index;  ///< [n_atoms]
  std::uint32_t first_atom, end_atom;
};

/// Gives the state of the own atoms to all others; one thread per atom, at least one block.
static __global__ void __launch_bounds__(128) complete_kernel(const __grid_constant__ CompletionView view) {
  if (view.state->apart == 0) return;
  const std::uint32_t index = view.first_atom + blockIdx.x * blockDim.x + threadIdx.x;
  for (std::uint32_t rank = 0; rank < view.signals.size; ++rank)
    if (rank != view.signals.rank && index < view.end_atom)
      give_atom(view.of[view.signals.rank], view.of[rank], index, view.host_index[index]);
  const std::uint32_t round = view.signals.next_round();
  if (!peer_signals::is_last_block(view.signals)) return;
  if (!peer_signals::finish(view.signals, round, 0).come || threadIdx.x != 0) return;
  view.state->apart = 0;
  peer_signals::end_round(view.signals, round);
}

}  // namespace own_atoms

#endif

}  // namespace dropmd

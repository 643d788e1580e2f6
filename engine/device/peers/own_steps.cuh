#pragma once

#include <cstdint>
#include <type_traits>

#include "device/communicator/peer_balance.cuh"
#include "device/communicator/peer_signals.cuh"
#include "engine/device/peers/peer_arrays.cuh"
#include "engine/device/step_kernels.cuh"
#include "forces/atom_owners.h"

/// The end of a step on several GPUs, each of which moves its own atoms. Each has computed some of the forces, on its
/// own atoms and on others: with a list those near the border. The owner of an atom adds up the forces on it, moves it,
/// and gives the new position to the GPUs that need it.
namespace dropmd {

/// What a GPU knows about these steps, in its memory.
struct OwnAtomsState {
  std::uint32_t apart;    ///< whether only the owners have the present state of the atoms
  std::uint32_t stopped;  ///< whether a fault has been found, of which all GPUs then know
};

/// The arrays of a GPU that the others access.
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

/// Whether a GPU needs the positions of a tile's atoms, and computes forces on them: for pairs, or for other terms.
struct NeedOfTile {
  bool pairs, terms;
  DROPMD_HOST_DEVICE bool any() const { return pairs || terms; }
};

template <class Real>
struct OwnAtomsView {
  OwnAtomsArrays<Real> of[PeerGroup::kMost];  ///< of each GPU, by rank
  PeerBalanceState* balance[PeerGroup::kMost];
  PeerSignalsView signals;
  OwnAtomsState* state;
  AtomOwners owners;
  const std::uint8_t* touched_by;  ///< ListBoxes::touched_by(); null: each computes pairs of all tiles
  const std::uint8_t* marked_by;   ///< the same for other terms (AtomOwnership); null: there are none
  std::uint32_t n_tiles, first_tile, end_tile;

  DROPMD_HOST_DEVICE bool has_tile(std::uint32_t tile) const { return tile >= first_tile && tile < end_tile; }
  __device__ NeedOfTile need(std::uint32_t rank, std::uint32_t tile) const {
    const std::size_t at = std::size_t{rank} * n_tiles + tile;
    return {touched_by == nullptr || touched_by[at] != 0, marked_by != nullptr && marked_by[at] != 0};
  }
  /// Calls call(arrays, need) for every other GPU that needs a tile.
  template <class Do>
  __device__ void for_others_that_need(std::uint32_t tile, const Do& call) const {
    for (std::uint32_t rank = 0; rank < signals.size; ++rank) {
      if (rank == signals.rank) continue;
      if (const NeedOfTile needed = need(rank, tile); needed.any()) call(of[rank], needed);
    }
  }
};

namespace own_atoms {

/// Adds the forces that other GPUs have computed on the kAtoms own atoms of a lane, all of a tile, and clears them
/// there. at(a): where the first force component of the atom `a` is in the sums; rare: whether there are terms in
/// `high`.
template <int kAtoms, class Real, class At>
__device__ inline void take_forces(const OwnAtomsView<Real>& own, const ForceSumsView<Real>& sums, std::uint32_t tile,
                                   const At& at, bool rare) {
  constexpr int kWords = 3 * kAtoms;
  const auto place = [&](int k) { return at(k / 3) + k % 3 * kTileAtoms; };
  const auto take = [&](unsigned long long* OwnAtomsArrays<Real>::*word, unsigned long long* mine) {
    unsigned long long sum[kWords] = {}, any[kWords] = {};
    // All are read before anything is written, so that the transfers from the other GPUs overlap.
    own.for_others_that_need(tile, [&](const OwnAtomsArrays<Real>& other, const NeedOfTile&) {
#pragma unroll
      for (int k = 0; k < kWords; ++k) {
        const unsigned long long term = __ldcv(other.*word + place(k));
        sum[k] += term;
        any[k] |= term;
      }
    });
#pragma unroll
    for (int k = 0; k < kWords; ++k)
      if (any[k] != 0) mine[place(k)] += sum[k];
    own.for_others_that_need(tile, [&](const OwnAtomsArrays<Real>& other, const NeedOfTile&) {
#pragma unroll
      for (int k = 0; k < kWords; ++k)
        if (any[k] != 0) (other.*word)[place(k)] = 0;
    });
  };
  take(&OwnAtomsArrays<Real>::low, sums.low);
  if (rare) take(&OwnAtomsArrays<Real>::high, sums.high);
}

/// Gives the new position of an own atom to another GPU. in_tile: whether in its tile, for pairs that are computed from
/// tiles; this GPU's tile must have it already. Otherwise every GPU fills the tiles for itself.
template <class Real>
__device__ inline void give_position(const OwnAtomsArrays<Real>& other, const NeedOfTile& needed,
                                     const StepView<Real>& step, std::uint32_t index, bool in_tile) {
  if (needed.terms || !in_tile) other.position[index] = step.atoms.position[index];
  if (!in_tile || !needed.pairs) return;
  other.local[index] = step.tiles.local[index];
  if constexpr (std::is_same_v<Real, float>) other.low_order[index] = step.tiles.low_order[index];
}

/// What a kernel has to do in a step.
struct OwnTurn {
  StepClock clock;
  Turn turn;  ///< turn.is is false if a peer cannot go on
  std::uint32_t round;
  peer_signals::Heard heard;

  /// Whether the step is performed; after a fault only its end is.
  __device__ bool performs() const { return turn.is && !heard.fault; }
};

/// Begins the end of a step, when the forces that this GPU computes are complete: waits for those of all others. All
/// threads of all blocks must call it. clock: of the atoms; is_first: whether this is the first of the kernels that
/// perform the step's end.
template <class Parts, class Real>
__device__ inline OwnTurn begin_step(const OwnAtomsView<Real>& own, const StepView<Real>& step, const StepClock& clock,
                                     bool is_first) {
  OwnTurn now{clock, turn_of<Parts>(step, clock), own.signals.next_round(), {}};
  now.turn.is = now.turn.is && own.state->stopped == 0;
  if (!now.turn.is) return now;
  if (is_first && blockIdx.x == 0) {
    if (threadIdx.x == 0) peer_balance::note_time(own.balance, own.signals.rank, false);
    peer_signals::say_ready(
        own.signals, now.round,
        (*step.sums.any_high != 0 ? PeerWord::kRare : 0) | (step.sums.errors.any() ? PeerWord::kFault : 0));
  }
  now.heard = peer_signals::wait_until_ready(own.signals, now.round);
  if (now.heard.come) return now;
  now.turn.is = false;
  // A peer cannot go on, and the run ends with its error. Without a fault, the device's loop of steps would not end.
  if (blockIdx.x == 0 && threadIdx.x == 0)
    step.sums.errors.report(static_cast<std::uint8_t>(ForceFault::not_finite), 0);
  return now;
}

/// Ends the step, by the last block of its last kernel: tells the others whether the list is stale and whether there is
/// a fault. Returns whether the step is complete on all, in all threads.
template <class Real>
__device__ inline bool end_step(const OwnAtomsView<Real>& own, const StepView<Real>& step, const OwnTurn& now) {
  const std::uint64_t stale_mark = StepView<Real>::stale_mark(now.clock.step() + 1);
  const std::uint32_t peer = threadIdx.x;
  const auto stale_at = [](SearchState * search) -> volatile std::uint64_t& { return search->stale_at; };
  if (step.searches() && peer < own.signals.size && stale_at(step.displacement.state) == stale_mark)
    stale_at(own.of[peer].search) = stale_mark;
  const bool fault = now.heard.fault || step.sums.errors.any();
  const peer_signals::Heard ended = peer_signals::finish(own.signals, now.round, fault ? PeerWord::kFault : 0);
  if (!ended.come) return false;
  if (ended.fault && peer < own.signals.size) step.sums.errors.take_over(__ldcv(own.of[peer].first_fault));
  if (peer == 0) {
    own.state->apart = 1;
    if (ended.fault) own.state->stopped = 1;
    *step.sums.any_high = 0;
    peer_balance::begin_work(own.balance, own.signals.rank);
    peer_signals::end_round(own.signals, now.round);
  }
  return !ended.fault;
}

/// Takes the positions of all atoms from their owners if the list is to be built for them; one thread per atom. The
/// owners do not move them before this GPU has built its part of the list.
template <class Real>
__global__ void __launch_bounds__(128) take_positions_kernel(const __grid_constant__ OwnAtomsView<Real> own,
                                                             Vec3<double>* position, std::uint32_t n_atoms) {
  wait_for_kernel_before();
  const std::uint32_t index = blockIdx.x * blockDim.x + threadIdx.x;
  if (own.state->apart == 0 || !own.of[own.signals.rank].search->stale()) return;
  if (index < n_atoms && !own.owners.has(index)) position[index] = own.of[own.owners.owner[index]].position[index];
}

/// What complete_kernel gives and to whom.
struct CompletionView {
  PeerArrays of[PeerGroup::kMost];
  PeerSignalsView signals;
  OwnAtomsState* state;
  AtomOwners owners;
  const std::uint32_t* host_index;  ///< [n_atoms]
  std::uint32_t n_atoms;
};

/// Gives the state of the own atoms to all others; one thread per atom.
static __global__ void __launch_bounds__(128) complete_kernel(const __grid_constant__ CompletionView view) {
  if (view.state->apart == 0) return;
  const std::uint32_t index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < view.n_atoms && view.owners.has(index))
    for (std::uint32_t rank = 0; rank < view.signals.size; ++rank)
      if (rank != view.signals.rank)
        give_atom(view.of[view.signals.rank], view.of[rank], index, view.host_index[index]);
  const std::uint32_t round = view.signals.next_round();
  if (!peer_signals::is_last_block(view.signals)) return;
  if (!peer_signals::finish(view.signals, round, 0).come || threadIdx.x != 0) return;
  view.state->apart = 0;
  peer_signals::end_round(view.signals, round);
}

}  // namespace own_atoms

}  // namespace dropmd

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/step_clock.h"
#include "core/vec3.h"
#include "device/communicator/peer_group.h"
#include "engine/device/ledger_view.cuh"
#include "engine/device/step_view.cuh"
#include "forces/force_sums.cuh"

/// The state of the atoms on several GPUs, each of which moves only some of them.
namespace dropmd {

/// The arrays of one GPU that hold this state; the others can access them.
struct PeerArrays {
  Vec3<double>*position, *velocity;
  unsigned long long *low, *high;  ///< ForceSumsView
  StepClock* clock;
  LedgerView ledger;
  const unsigned long long* first_fault;  ///< ErrorRecordView::first()

  template <class Real>
  static PeerArrays of(const StepView<Real>& view) {
    return {view.atoms.position, view.atoms.velocity, view.sums.low,           view.sums.high,
            view.clock,          view.ledger,         view.sums.errors.first()};
  }
};

/// Writes to `all`, by rank, what each peer passes. The peers must be those of this process, and all must call it.
template <class T>
void gather_values(const Peer& peer, const T& mine, T* all) {
  T copy = mine;
  const std::vector<void*> addresses = peer.group.gather(peer.rank, &copy);
  for (std::size_t rank = 0; rank < addresses.size(); ++rank) all[rank] = *static_cast<const T*>(addresses[rank]);
  peer.group.gather(peer.rank, nullptr);  // all have read `copy`
}

#if defined(__CUDACC__)

/// Copies the state of an atom from one GPU to another.
__device__ inline void give_atom(const PeerArrays& from, const PeerArrays& to, std::uint32_t index,
                                 std::uint32_t host_index) {
  to.position[index] = from.position[index];
  to.velocity[index] = from.velocity[index];
  for (int k = 0; k < 3; ++k) {
    const std::size_t at = ForceSumsView<float>::slot(index) + k * kTileAtoms;
    to.low[at] = from.low[at];
    to.high[at] = from.high[at];
  }
  if (index % kTileAtoms == 0) to.clock[index / kTileAtoms] = from.clock[index / kTileAtoms];
  // Every GPU books the effect of momentum removal by itself.
  for (double* const LedgerView::*booked : {&LedgerView::bath, &LedgerView::field, &LedgerView::recentring})
    if (from.ledger.*booked != nullptr) (to.ledger.*booked)[host_index] = (from.ledger.*booked)[host_index];
}

#endif

}  // namespace dropmd

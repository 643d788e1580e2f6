#pragma once

#include <cstddef>
#include <cstdint>

#include "device/communicator/peer_sum.cuh"
#include "engine/device/device_atoms.cuh"
#include "engine/persistent/persistent_steps.cuh"

/// Completes the state of each GPU after a launch of a persistent kernel that several GPUs performed together.
namespace dropmd {

/// The arrays of a run on one GPU that a persistent kernel changes.
struct PeerArrays {
  Vec3<double>*position, *velocity;
  unsigned long long *low, *high;  ///< ForceSumsView
  StepClock* clock;
  LedgerView ledger;
  StepSums* sums;  ///< [blocks of all GPUs]
  std::uint64_t* fault_step;
  const unsigned long long* first_fault;  ///< ErrorRecordView::first()
  PeerSignals* signals;
};

struct PeerExchangeView {
  PeerArrays of[PersistentPeers::kMost + 1];  ///< by rank
  WorkShare share;
  PersistentSteps::Own own;
  const std::uint32_t* host_index;  ///< [n_atoms]
  ErrorRecordView errors;
  std::uint32_t* h_faulty;
  const std::uint32_t* abandoned;
};

#if defined(__CUDACC__)

namespace peer_exchange {

constexpr std::uint32_t kThreads = 128;

/// Copies what this GPU has of an atom to another one.
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
  // Every GPU books by itself what removal of momentum does.
  for (double* const LedgerView::*booked : {&LedgerView::bath, &LedgerView::field, &LedgerView::recentring})
    if (from.ledger.*booked != nullptr) (to.ledger.*booked)[host_index] = (from.ledger.*booked)[host_index];
}

/// Takes over a fault of a peer.
__device__ inline void take_fault(const PeerExchangeView& view, const PeerArrays& mine, const PeerArrays& peer) {
  const auto* const noted = reinterpret_cast<const unsigned long long*>(peer.fault_step);
  if (const unsigned long long step = __ldcv(noted); step != ~0ULL) {
    atomicMin(reinterpret_cast<unsigned long long*>(mine.fault_step), step);
    *static_cast<volatile std::uint32_t*>(view.h_faulty) = 1;
  }
  if (const unsigned long long fault = __ldcv(peer.first_fault); fault != ~0ULL)
    view.errors.report(static_cast<std::uint8_t>(fault & 0xFF), static_cast<std::int64_t>(fault >> 8));
}

/// with_sums: whether the launch has written sums.
__global__ void __launch_bounds__(kThreads)
    exchange_kernel(const __grid_constant__ PeerExchangeView view, bool with_sums) {
  using peer_sum_detail::at;
  __shared__ bool is_last;
  const PeerArrays& mine = view.of[view.share.rank];
  const std::uint32_t first = blockIdx.x * kThreads + threadIdx.x, stride = gridDim.x * kThreads;
  for (std::uint32_t rank = 0; rank < view.share.size; ++rank) {
    if (rank == view.share.rank) continue;
    const PeerArrays& to = view.of[rank];
    for (std::uint32_t k = view.own.begin + first; k < view.own.end; k += stride) {
      const std::uint32_t index = view.own.at != nullptr ? view.own.at[k] : k;
      if (index != RigidMolecules::kNoAtom) give_atom(mine, to, index, view.host_index[index]);
    }
    for (std::uint32_t b = view.own.begin_block + first; with_sums && b < view.own.end_block; b += stride)
      to.sums[b] = mine.sums[b];
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence_system();
    is_last = atomicAdd(&mine.signals->blocks_done, 1U) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence_system();
  const std::uint32_t round = mine.signals->round + 2, peer = threadIdx.x;
  if (peer < view.share.size) at(view.of[peer].signals->done[view.share.rank]).store(round, cuda::memory_order_release);
  if (!peer_sum_detail::wait_for_peers(mine.signals->done, round, view.share.size, view.abandoned).come) return;
  if (peer < view.share.size && peer != view.share.rank) take_fault(view, mine, view.of[peer]);
  if (threadIdx.x == 0) {
    mine.signals->blocks_done = 0;
    mine.signals->round = round;
  }
}

}  // namespace peer_exchange

#endif

/// The exchange of one GPU with the others: each gives them its own atoms, and takes over their faults. Nothing waits
/// on the host after construction.
class PeerExchange {
 public:
  /// d_sums: to which the persistent kernel writes. It waits for the other peers; everything must stay where it is.
  PeerExchange(const Peer& peer, const DeviceAtoms<float>& atoms, const PersistentSteps& steps, StepSums* d_sums)
      : d_signals_(atoms.stream) {
    d_signals_.resize(1);
    d_signals_.zero();
    atoms.stream.synchronize("preparing persistent steps");  // before a peer signals
    const StepView<float>& view = atoms.view;
    PeerArrays mine{view.atoms.position,
                    view.atoms.velocity,
                    view.sums.low,
                    view.sums.high,
                    view.clock,
                    view.ledger,
                    d_sums,
                    steps.fault_step_word(),
                    view.sums.errors.first(),
                    d_signals_.data()};
    const std::vector<void*> all = peer.group.gather(peer.rank, &mine);
    for (std::size_t rank = 0; rank < all.size(); ++rank) view_.of[rank] = *static_cast<const PeerArrays*>(all[rank]);
    peer.group.gather(peer.rank, nullptr);  // all have read `mine`
    view_.share = peer.share();
    view_.own = steps.own();
    view_.host_index = view.atoms.host_index;
    view_.errors = view.sums.errors;
    view_.h_faulty = steps.faulty_word();
    view_.abandoned = peer.group.word_of_abandon();
  }

#if defined(__CUDACC__)
  /// Enqueues the exchange after a launch. with_sums: whether it has written sums.
  void operator()(const Cuda& cuda, bool with_sums) const {
    using peer_exchange::kThreads;
    const std::uint32_t blocks = (view_.own.end - view_.own.begin + kThreads - 1) / kThreads;
    peer_exchange::exchange_kernel<<<std::max(1U, blocks), kThreads, 0, cuda.get()>>>(view_, with_sums);
    DROPMD_CUDA_LAUNCHED("exchanging the state of several GPUs");
  }
#endif

 private:
  DeviceBuffer<PeerSignals> d_signals_;
  PeerExchangeView view_{};
};

}  // namespace dropmd

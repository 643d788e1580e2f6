#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda/atomic>
#include <vector>

#include "device/buffer.cuh"
#include "device/communicator/peer_group.h"
#include "device/cuda.cuh"

/// How kernels of peers that access each other's memory meet. In a *round* each peer says that it is ready, and later
/// that it is done, by a word in the memory of each of the others; whoever has read the word sees everything that the
/// peer wrote before.
namespace dropmd {

/// What the peers tell one of them, in its memory.
struct PeerSignals {
  /// By peer: the last round for which it is ready, and the last one that it has done, with what it says (PeerWord).
  std::uint32_t ready[PeerGroup::kMost];
  std::uint32_t done[PeerGroup::kMost];
  std::uint32_t round;        ///< the last complete one
  std::uint32_t blocks_done;  ///< blocks of the kernel that have ended, of the present round
  std::uint32_t abandoned;    ///< not 0: a kernel has read PeerSignalsView::abandoned
};

/// What a peer may say with a signal; bits.
struct PeerWord {
  static constexpr std::uint32_t kRare = 1, kFault = 2;
  static constexpr std::uint32_t kRound = 4;  ///< increment of the number of a round
};

/// The signals as a kernel of one peer takes them.
struct PeerSignalsView {
  PeerSignals* of[PeerGroup::kMost];  ///< of each peer, by rank
  std::uint32_t rank, size;
  const std::uint32_t* abandoned;  ///< of the host: not 0 if a peer cannot go on

#if defined(__CUDACC__)
  __device__ PeerSignals& mine() const { return *of[rank]; }
  __device__ std::uint32_t next_round() const { return mine().round + PeerWord::kRound; }
#endif
};

#if defined(__CUDACC__)

namespace peer_signals {

/// What the peers said.
struct Heard {
  bool come;  ///< false: a peer cannot go on
  bool rare, fault;
};

__device__ inline cuda::atomic_ref<std::uint32_t, cuda::thread_scope_system> at(std::uint32_t& word) {
  return cuda::atomic_ref<std::uint32_t, cuda::thread_scope_system>(word);
}

/// Waits until all peers have signalled the round. All threads of a block must call it. signals: [size].
__device__ inline Heard wait(const PeerSignalsView& view, std::uint32_t* signals, std::uint32_t round) {
  // Each look at the host's word takes over a microsecond. Once one look has found it set, all later waits end soon: a
  // graph may have thousands of them.
  constexpr std::uint32_t kSoon = 16, kLooks = 4096;
  const auto is_set = [](const std::uint32_t& word) { return *static_cast<const volatile std::uint32_t*>(&word) != 0; };
  bool goes_on = true;
  std::uint32_t reached = 0;
  if (threadIdx.x < view.size)
    for (std::uint32_t look = 1; goes_on; ++look) {
      reached = at(signals[threadIdx.x]).load(cuda::memory_order_acquire);
      if (static_cast<std::int32_t>(reached - round) >= 0) break;
      if (look == kSoon) goes_on = !is_set(view.mine().abandoned);
      if (look % kLooks != 0 || !is_set(*view.abandoned)) continue;
      goes_on = false;
      *static_cast<volatile std::uint32_t*>(&view.mine().abandoned) = 1;
    }
  const auto any = [&](std::uint32_t word) { return __syncthreads_or((reached & word) != 0 ? 1 : 0) != 0; };
  return {__syncthreads_and(goes_on ? 1 : 0) != 0, any(PeerWord::kRare), any(PeerWord::kFault)};
}

/// Says that this peer is ready, with some PeerWord. The threads of one block call it.
__device__ inline void say_ready(const PeerSignalsView& view, std::uint32_t round, std::uint32_t word) {
  if (threadIdx.x < view.size)
    at(view.of[threadIdx.x]->ready[view.rank]).store(round + word, cuda::memory_order_release);
}
__device__ inline Heard wait_until_ready(const PeerSignalsView& view, std::uint32_t round) {
  return wait(view, view.mine().ready, round);
}

/// Whether this block is the last one of the grid to call this; it then sees what the others wrote. All threads of all
/// blocks must call it.
__device__ inline bool is_last_block(const PeerSignalsView& view) {
  __shared__ bool is_last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence_system();
    is_last = atomicAdd(&view.mine().blocks_done, 1U) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) __threadfence_system();
  return is_last;
}

/// Says that this peer is done, and waits until all are. The threads of the last block call it.
__device__ inline Heard finish(const PeerSignalsView& view, std::uint32_t round, std::uint32_t word) {
  if (threadIdx.x < view.size)
    at(view.of[threadIdx.x]->done[view.rank]).store(round + word, cuda::memory_order_release);
  return wait(view, view.mine().done, round);
}

/// Ends a round that all have done. One thread calls it.
__device__ inline void end_round(const PeerSignalsView& view, std::uint32_t round) {
  view.mine().blocks_done = 0;
  view.mine().round = round;
}

}  // namespace peer_signals

#endif

/// The signals of a peer for one kind of meeting, which all peers must hold in the same order.
class PeerMeetings {
 public:
  /// Waits for the stream and for the other peers.
  PeerMeetings(const Stream& stream, const Peer& peer) : d_signals_(stream) {
    d_signals_.resize(1);
    d_signals_.zero();
    stream.synchronize("preparing the signals of several GPUs");  // before a peer signals
    const std::vector<void*> all = peer.group.gather(peer.rank, d_signals_.data());
    for (std::size_t k = 0; k < all.size(); ++k) view_.of[k] = static_cast<PeerSignals*>(all[k]);
    view_.rank = peer.rank;
    view_.size = peer.group.size();
    view_.abandoned = peer.group.word_of_abandon();
  }

  const PeerSignalsView& view() const { return view_; }

 private:
  DeviceBuffer<PeerSignals> d_signals_;
  PeerSignalsView view_{};
};

}  // namespace dropmd

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "device/buffer.cuh"
#include "device/communicator/peer_group.h"
#include "device/cuda.cuh"
#include "device/error_record.cuh"

/// Divides the work of a run among GPUs, some of which have other work besides, such as a mesh: by the time that each
/// takes from the end of a sum over the GPUs, or of a step of own atoms, to the beginning of the next one. Results do
/// not depend on the division (WorkShare), so it may follow from times.
namespace dropmd {

/// What one peer knows of the division, in its memory.
struct PeerBalanceState {
  std::uint32_t bounds[PeerGroup::kMost + 1];  ///< WorkShare::bounds, written by the first peer
  std::uint64_t end;                           ///< when this peer's last sum ended, ns; 0: there was none
  std::uint64_t worked;                        ///< the time that this peer has worked since the last division, ns
  std::uint32_t busy[PeerGroup::kMost];  ///< of the first peer: the times of all, in units of 64 ns, written by them
  float weight[PeerGroup::kMost];        ///< of the first peer: the share of each
};

#if defined(__CUDACC__)

namespace peer_balance {

__device__ inline std::uint64_t nanoseconds() {
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

/// Moves work from peers that took longer than the mean to the others. In each round such a peer gives away a part of
/// its share, kPart of the fraction by which it took longer, so that single delays have little effect and the division
/// does not oscillate where it is used one round later. One thread of the first peer calls it.
__device__ inline void move_work(PeerBalanceState& state, std::uint32_t n_peers) {
  constexpr float kPart = 0.3F, kMostAtOnce = 0.1F;
  float mean = 0;
  for (std::uint32_t k = 0; k < n_peers; ++k) {
    if (state.busy[k] == 0) return;
    mean += static_cast<float>(state.busy[k]) / static_cast<float>(n_peers);
  }
  float total = 0;
  for (std::uint32_t k = 0; k < n_peers; ++k) {
    const float change = kPart * (1.0F - static_cast<float>(state.busy[k]) / mean);
    const float bounded = fminf(fmaxf(change, -kMostAtOnce), kMostAtOnce) / static_cast<float>(n_peers);
    state.weight[k] = fmaxf(0.0F, state.weight[k] + bounded);
    total += state.weight[k];
  }
  float sum = 0;
  for (std::uint32_t k = 0; k < n_peers; ++k) {
    state.weight[k] /= total;
    sum += state.weight[k];
    state.bounds[k + 1] = k + 1 == n_peers
                              ? WorkShare::kWhole
                              : min(WorkShare::kWhole, static_cast<std::uint32_t>(sum * WorkShare::kWhole));
  }
}

/// Notes how long a peer has worked since its last sum. If the work is then divided, tells the first peer the time
/// since the last division. Called by the thread that then signals to that peer. states: of all peers, by rank.
__device__ inline void note_time(PeerBalanceState* const* states, std::uint32_t rank, bool divides) {
  PeerBalanceState& mine = *states[rank];
  if (mine.end != 0) mine.worked += nanoseconds() - mine.end;
  if (!divides) return;
  states[0]->busy[rank] = static_cast<std::uint32_t>(min(mine.worked / 64, std::uint64_t{0xFFFFFFFF}));
  mine.worked = 0;
}
/// Notes that a peer's sum has ended. One thread calls it.
__device__ inline void begin_work(PeerBalanceState* const* states, std::uint32_t rank) {
  states[rank]->end = nanoseconds();
}

/// Divides the work anew when all peers have told their times. All threads of a block of the first peer must call it;
/// the thread for each peer writes what that peer needs before it signals to it.
__device__ inline void divide_work(PeerBalanceState* const* states, std::uint32_t n_peers) {
  PeerBalanceState& mine = *states[0];
  if (threadIdx.x == 0) move_work(mine, n_peers);
  __syncthreads();
  if (threadIdx.x == 0 || threadIdx.x >= n_peers) return;
  for (std::uint32_t k = 1; k <= n_peers; ++k) states[threadIdx.x]->bounds[k] = mine.bounds[k];
}

}  // namespace peer_balance

#endif

/// The division of a peer, which begins even.
class PeerBalance {
 public:
  /// Waits for the stream and for the other peers.
  PeerBalance(const Stream& stream, const Peer& peer) : peer_(peer), d_state_(stream) {
    PeerBalanceState state{};
    for (std::uint32_t k = 0; k <= peer.group.size(); ++k)
      state.bounds[k] = static_cast<std::uint32_t>(std::uint64_t{WorkShare::kWhole} * k / peer.group.size());
    std::fill(std::begin(state.weight), std::end(state.weight), 1.0F / static_cast<float>(peer.group.size()));
    d_state_.upload({&state, 1});
    stream.synchronize("dividing the work among GPUs");
    for (void* const address : peer.group.gather(peer.rank, d_state_.data()))
      states_.push_back(static_cast<PeerBalanceState*>(address));
  }

  /// The share of this peer as kernels find it; it changes with each sum that divides the work.
  WorkShare share() const { return {peer_.rank, peer_.group.size(), d_state_.data()->bounds}; }
  /// Of all peers, by rank.
  const std::vector<PeerBalanceState*>& states() const { return states_; }

 private:
  Peer peer_;
  DeviceBuffer<PeerBalanceState> d_state_;
  std::vector<PeerBalanceState*> states_;
};

/// How a peer shares the work of a run. On one GPU the pointers are null; with NCCL the division is fixed, without
/// `balance`.
struct PeerWork {
  const Peer* peer = nullptr;
  const PeerBalance* balance = nullptr;
  ErrorRecordView errors{};    ///< the faults of the run
  bool divides_terms = false;  ///< whether terms other than the pairs are divided, as far as they can be

  WorkShare share() const {
    if (balance != nullptr) return balance->share();
    return peer != nullptr ? peer->share() : WorkShare{};
  }
};

}  // namespace dropmd

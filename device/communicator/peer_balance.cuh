#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "device/buffer.cuh"
#include "device/communicator/peer_group.h"
#include "device/cuda.cuh"

/// How the work of a run is divided among GPUs of which some have other work beside, such as a mesh: by the time that
/// each takes from the end of one sum over the GPUs to the beginning of its next one. Results do not depend on the
/// division (WorkShare), so it may follow from times.
namespace dropmd {

/// What one peer knows of the division, in its memory.
struct PeerBalanceState {
  std::uint32_t bounds[PeerGroup::kMost + 1];  ///< WorkShare::bounds, written by the first peer
  std::uint64_t end;                           ///< when this peer's last sum ended, ns; 0: there was none
  std::uint32_t busy[PeerGroup::kMost];        ///< of the first peer: the times of all since then, ns, written by them
  float weight[PeerGroup::kMost];              ///< of the first peer: the share of each
};

#if defined(__CUDACC__)

namespace peer_balance {

__device__ inline std::uint64_t nanoseconds() {
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

/// Moves work from peers that took longer than the mean to the others: in each round the part of its share that is
/// kPart of the part by which it took longer, so that single delays have little effect. One thread of the first peer.
__device__ inline void move_work(PeerBalanceState& state, std::uint32_t n_peers) {
  constexpr float kPart = 0.2F, kMostAtOnce = 0.05F;
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

  /// The share of this peer as kernels find it; it changes with each sum.
  WorkShare share() const { return {peer_.rank, peer_.group.size(), d_state_.data()->bounds}; }
  /// Of all peers, by rank.
  const std::vector<PeerBalanceState*>& states() const { return states_; }

 private:
  Peer peer_;
  DeviceBuffer<PeerBalanceState> d_state_;
  std::vector<PeerBalanceState*> states_;
};

}  // namespace dropmd

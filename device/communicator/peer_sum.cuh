#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cuda/atomic>

#include "device/buffer.cuh"
#include "device/communicator/peer_balance.cuh"
#include "device/communicator/peer_group.h"
#include "device/cuda.cuh"
#include "device/device_info.h"
#include "device/error_record.cuh"

namespace dropmd {

/// What the peers tell one of them about a sum, in its memory. Rounds count the sums, two for each.
struct PeerSignals {
  /// By peer: the last round for which its terms are complete, plus 1 if some of the rare words are not zero.
  std::uint32_t ready[PeerGroup::kMost];
  std::uint32_t done[PeerGroup::kMost];  ///< by peer: the last round for which it has written its part of the sums
  std::uint32_t round;                   ///< the last complete one
  std::uint32_t blocks_done;             ///< blocks of the kernel that have ended, of the present round
};

/// A sum as its kernel takes it; arrays by rank.
struct PeerSumView {
  unsigned long long* words[PeerGroup::kMost];         ///< [n_words] of each peer
  PeerSignals* signals[PeerGroup::kMost];              ///< of each peer
  const unsigned long long* faults[PeerGroup::kMost];  ///< ErrorRecordView::first() of each peer; null: none
  PeerBalanceState* balance[PeerGroup::kMost];         ///< of each peer; null: none
  ErrorRecordView errors;                              ///< of this peer
  std::size_t n_words, n_usual;
  std::uint32_t* rare;  ///< of this peer: not 0 if one of the words from n_usual on is not zero
  WorkShare share;
  const std::uint32_t* abandoned;  ///< of the host: not 0 if a peer cannot go on
  /// For NCCL, else null: the words [n_words], followed by a fault of each peer [share.size].
  unsigned long long* copy;
};

#if defined(__CUDACC__)

namespace peer_sum_detail {

inline constexpr std::uint32_t kThreads = 512;

__device__ inline cuda::atomic_ref<std::uint32_t, cuda::thread_scope_system> at(std::uint32_t& word) {
  return cuda::atomic_ref<std::uint32_t, cuda::thread_scope_system>(word);
}

/// What peers say at the beginning of a sum.
struct Terms {
  bool come;  ///< false: a peer cannot go on
  bool rare;  ///< whether a peer has rare words that are not zero
};

/// Waits until all peers have signalled the round. All threads of a block must call it. abandoned:
/// PeerGroup::word_of_abandon().
__device__ inline Terms wait_for_peers(std::uint32_t* signals, std::uint32_t round, std::uint32_t n_peers,
                                       const std::uint32_t* abandoned) {
  constexpr std::uint32_t kLooks = 4096;  // between looks at the host's word, each of which takes over a microsecond
  bool goes_on = true, rare = false;
  if (threadIdx.x < n_peers)
    for (std::uint32_t look = 1; goes_on; ++look) {
      const std::uint32_t reached = at(signals[threadIdx.x]).load(cuda::memory_order_acquire);
      rare = (reached & 1U) != 0;
      if (static_cast<std::int32_t>(reached - round) >= 0) break;
      if (look % kLooks == 0) goes_on = *static_cast<const volatile std::uint32_t*>(abandoned) == 0;
    }
  return {__syncthreads_and(goes_on ? 1 : 0) != 0, __syncthreads_or(rare ? 1 : 0) != 0};
}

/// Of the words from `from` to `to`, adds up the part for which this peer is responsible, and gives all peers the sums.
/// Nobody else reads or writes these words in the meantime, so that the sums replace the terms.
__device__ inline void add_up(const PeerSumView& sum, std::size_t from, std::size_t to) {
  constexpr int kAtOnce = 4;  // words of a thread in flight
  const std::size_t begin = from + (to - from) * sum.share.rank / sum.share.size,
                    end = from + (to - from) * (sum.share.rank + 1) / sum.share.size;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t first = begin + std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; first < end;
       first += kAtOnce * stride) {
    unsigned long long total[kAtOnce] = {};
    for (std::uint32_t peer = 0; peer < sum.share.size; ++peer) {
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        if (first + k * stride < end) total[k] += __ldcv(sum.words[peer] + first + k * stride);
    }
    for (std::uint32_t peer = 0; peer < sum.share.size; ++peer) {
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        if (first + k * stride < end) sum.words[peer][first + k * stride] = total[k];
    }
  }
}

/// Takes over a fault that a peer found, ~0 if it found none; one thread per peer.
__device__ inline void report_fault(const PeerSumView& sum, std::uint32_t peer, unsigned long long fault) {
  if (peer == sum.share.rank || fault == ~0ULL) return;
  sum.errors.report(static_cast<std::uint8_t>(fault & 0xFF), static_cast<std::int64_t>(fault >> 8));
}

/// Tells the first peer how long this one has worked since its last sum; the thread that then signals to that peer.
__device__ inline void tell_time(const PeerSumView& sum) {
  const std::uint64_t end = sum.balance[sum.share.rank]->end;
  const std::uint64_t busy = end == 0 ? 0 : peer_balance::nanoseconds() - end;
  sum.balance[0]->busy[sum.share.rank] = static_cast<std::uint32_t>(min(busy, std::uint64_t{0xFFFFFFFF}));
}

/// Divides the work anew, when all peers have told their times; all threads of a block of the first peer. The thread
/// of a peer writes what that one needs, before it signals to it.
__device__ inline void divide_work(const PeerSumView& sum) {
  PeerBalanceState& mine = *sum.balance[0];
  if (threadIdx.x == 0) peer_balance::move_work(mine, sum.share.size);
  __syncthreads();
  if (threadIdx.x == 0 || threadIdx.x >= sum.share.size) return;
  for (std::uint32_t k = 1; k <= sum.share.size; ++k) sum.balance[threadIdx.x]->bounds[k] = mine.bounds[k];
}

/// Sums the words of all peers if wanted() is true, which must be so for all of them or for none. divides: whether work
/// may be divided anew.
template <class Wanted>
__global__ void __launch_bounds__(kThreads)
    peer_sum_kernel(const __grid_constant__ PeerSumView sum, const __grid_constant__ Wanted wanted, bool divides) {
  __shared__ bool is_last;
  if (!wanted()) return;
  PeerSignals& mine = *sum.signals[sum.share.rank];
  divides = divides && sum.balance[0] != nullptr;
  const std::uint32_t round = mine.round + 2;
  const std::uint32_t peer = threadIdx.x;
  if (divides && blockIdx.x == 0 && peer == 0) tell_time(sum);
  // This peer's terms were complete before the kernel began.
  if (blockIdx.x == 0 && peer < sum.share.size) {
    const std::uint32_t rare = sum.rare != nullptr && *sum.rare != 0 ? 1 : 0;
    at(sum.signals[peer]->ready[sum.share.rank]).store(round + rare, cuda::memory_order_release);
  }
  const Terms terms = wait_for_peers(mine.ready, round, sum.share.size, sum.abandoned);
  if (!terms.come) return;
  add_up(sum, 0, sum.n_usual);
  if (terms.rare) add_up(sum, sum.n_usual, sum.n_words);
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence_system();
    is_last = atomicAdd(&mine.blocks_done, 1U) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence_system();
  if (divides && sum.share.rank == 0) divide_work(sum);
  if (peer < sum.share.size) {
    if (sum.faults[peer] != nullptr) report_fault(sum, peer, __ldcv(sum.faults[peer]));
    at(sum.signals[peer]->done[sum.share.rank]).store(round, cuda::memory_order_release);
  }
  if (!wait_for_peers(mine.done, round, sum.share.size, sum.abandoned).come) return;
  if (threadIdx.x == 0) {
    if (sum.rare != nullptr) *sum.rare = 0;
    mine.blocks_done = 0;
    mine.round = round;
    if (sum.balance[0] != nullptr) sum.balance[sum.share.rank]->end = peer_balance::nanoseconds();
  }
}

/// Copies this peer's terms for NCCL, or zeros if no sum is wanted: NCCL adds up in any case.
template <class Wanted>
__global__ void __launch_bounds__(kThreads)
    copy_terms_kernel(const __grid_constant__ PeerSumView sum, const __grid_constant__ Wanted wanted) {
  const bool is_wanted = wanted();
  const unsigned long long* const words = sum.words[sum.share.rank];
  const unsigned long long* const fault = sum.faults[sum.share.rank];
  for (std::size_t k = std::size_t{blockIdx.x} * kThreads + threadIdx.x; k < sum.n_words + sum.share.size;
       k += std::size_t{gridDim.x} * kThreads) {
    const bool is_fault = k == sum.n_words + sum.share.rank && fault != nullptr;
    sum.copy[k] = !is_wanted ? 0 : k < sum.n_words ? words[k] : is_fault ? ~*fault : 0;
  }
}

/// Takes over the sums of NCCL, if they were wanted.
template <class Wanted>
__global__ void __launch_bounds__(kThreads)
    take_sums_kernel(const __grid_constant__ PeerSumView sum, const __grid_constant__ Wanted wanted) {
  if (!wanted()) return;
  const std::size_t first = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  for (std::size_t k = first; k < sum.n_words; k += std::size_t{gridDim.x} * kThreads)
    sum.words[sum.share.rank][k] = sum.copy[k];
  if (first < sum.share.size) report_fault(sum, static_cast<std::uint32_t>(first), ~sum.copy[sum.n_words + first]);
  if (first == 0 && sum.rare != nullptr) *sum.rare = 0;
}

}  // namespace peer_sum_detail

/// Always wants a sum.
struct InAnyCase {
  __device__ bool operator()() const { return true; }
};

#endif

/// The last n_words of an array, if they are zero in most sums, which then leave them out. d_any: not 0 in other sums,
/// to be set by the kernels that write such words; a sum sets it to 0.
struct RareWords {
  std::size_t n_words = 0;
  std::uint32_t* d_any = nullptr;
};

/// Sums arrays of integers over peers, in place: each adds up a part, reading the terms from the others' memory, and
/// writes the sums to all. The peers must compute the same sums in the same order. Nothing waits on the host or
/// allocates after construction, so sums may be captured in a graph.
///
/// A sum takes two signals, of about a microsecond each over NVLink, and each peer reads and writes (n-1)/n of the
/// array. Peers that cannot access each other's memory add up copies by NCCL, with the rare words in each sum.
class PeerSum {
 public:
  /// d_words: [n_words] of this peer; they must stay where they are. Waits for the other peers, which must pass arrays
  /// of the same length. errors: if given, a fault of one peer becomes that of all at the sum. balance: if given, each
  /// sum divides the work anew.
  PeerSum(const Cuda& cuda, const Peer& peer, unsigned long long* d_words, std::size_t n_words,
          const RareWords& rare = {}, const ErrorRecordView* errors = nullptr, const PeerBalance* balance = nullptr)
      : nccl_(peer.group.nccl()), d_signals_(cuda.stream), d_copy_(cuda.stream) {
    d_signals_.resize(1);
    d_signals_.zero();
    cuda.stream.synchronize("preparing the sums of several GPUs");  // before a peer signals
    const auto addresses_of = [&]<class T>(T* mine, auto* to) {
      const std::vector<void*> all = peer.group.gather(peer.rank, mine);
      for (std::size_t k = 0; k < all.size(); ++k) to[k] = static_cast<T*>(all[k]);
    };
    addresses_of(d_words, view_.words);
    addresses_of(d_signals_.data(), view_.signals);
    if (errors != nullptr) {
      addresses_of(errors->first(), view_.faults);
      view_.errors = *errors;
    }
    if (balance != nullptr) std::copy(balance->states().begin(), balance->states().end(), view_.balance);
    view_.n_words = n_words;
    view_.n_usual = n_words - rare.n_words;
    view_.rare = rare.d_any;
    view_.share = peer.share();
    view_.abandoned = peer.group.word_of_abandon();
    using peer_sum_detail::kThreads;
    const std::size_t of_peer = (view_.n_usual + view_.share.size - 1) / view_.share.size;
    const auto most = static_cast<std::size_t>(2 * require_device(cuda.stream.device()).multiprocessors);
    blocks_ = static_cast<std::uint32_t>(std::clamp<std::size_t>((of_peer + kThreads - 1) / kThreads, 1, most));
    if (nccl_ == nullptr) return;
    d_copy_.resize(n_words + view_.share.size);
    d_copy_.zero();
    view_.copy = d_copy_.data();
    add_up_copies(cuda);  // connects the peers, which is not possible while a graph is captured
    cuda.stream.synchronize("connecting GPUs by NCCL");
  }

#if defined(__CUDACC__)
  /// Enqueues a sum, which has an effect if wanted() is true on the device: on all peers, or on none. divides: whether
  /// the time since the last sum counts for the division of the work.
  template <class Wanted = InAnyCase>
  void operator()(const Cuda& cuda, const Wanted& wanted = {}, bool divides = true) const {
    using namespace peer_sum_detail;
    if (nccl_ == nullptr) {
      peer_sum_kernel<<<blocks_, kThreads, 0, cuda.get()>>>(view_, wanted, divides);
    } else {
      copy_terms_kernel<<<blocks_, kThreads, 0, cuda.get()>>>(view_, wanted);
      add_up_copies(cuda);
      take_sums_kernel<<<blocks_, kThreads, 0, cuda.get()>>>(view_, wanted);
    }
    DROPMD_CUDA_LAUNCHED("summing over GPUs");
  }
#endif

 private:
  void add_up_copies(const Cuda& cuda) const {
    nccl_->sum(view_.share.rank, cuda.get(), d_copy_.data(), d_copy_.size());
  }

  const NcclPeers* nccl_;  ///< null: the peers access each other's memory
  DeviceBuffer<PeerSignals> d_signals_;
  DeviceBuffer<unsigned long long> d_copy_;
  PeerSumView view_{};
  std::uint32_t blocks_ = 1;
};

}  // namespace dropmd

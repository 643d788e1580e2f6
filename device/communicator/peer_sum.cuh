#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "device/buffer.cuh"
#include "device/communicator/add_up.cuh"
#include "device/communicator/peer_balance.cuh"
#include "device/communicator/peer_group.h"
#include "device/communicator/peer_signals.cuh"
#include "device/cuda.cuh"
#include "device/device_info.h"
#include "device/error_record.cuh"

namespace dropmd {

/// A sum as its kernel takes it; arrays by rank. A peer's signal that it is ready says whether its rare words are zero.
struct PeerSumView {
  unsigned long long* words[PeerGroup::kMost];  ///< [n_words] of each peer
  PeerSignalsView signals;
  const unsigned long long* faults[PeerGroup::kMost];  ///< ErrorRecordView::first() of each peer; null: none
  PeerBalanceState* balance[PeerGroup::kMost];         ///< of each peer; null: none
  ErrorRecordView errors;                              ///< of this peer
  std::size_t n_words, n_usual;
  std::uint32_t* rare;  ///< of this peer: not 0 if one of the words from n_usual on is not zero
  WorkShare share;
  /// For NCCL, else null: the words [n_words], followed by a fault of each peer [share.size].
  unsigned long long* copy;
};

#if defined(__CUDACC__)

namespace peer_sum_detail {

inline constexpr std::uint32_t kThreads = 512;

/// Sums the words of all peers if wanted() is true, which must be so for all of them or for none. divides: whether the
/// work is divided anew.
template <class Wanted>
__global__ void __launch_bounds__(kThreads)
    peer_sum_kernel(const __grid_constant__ PeerSumView sum, const __grid_constant__ Wanted wanted, bool divides) {
  if (!wanted()) return;
  const bool notes_time = sum.balance[0] != nullptr;
  divides = divides && notes_time;
  const std::uint32_t round = sum.signals.next_round();
  if (blockIdx.x == 0) {
    if (notes_time && threadIdx.x == 0) peer_balance::note_time(sum.balance, sum.share.rank, divides);
    // This peer's terms were complete before the kernel began.
    peer_signals::say_ready(sum.signals, round, sum.rare != nullptr && *sum.rare != 0 ? PeerWord::kRare : 0);
  }
  const peer_signals::Heard terms = peer_signals::wait_until_ready(sum.signals, round);
  if (!terms.come) return;
  const auto in_order = [](std::size_t k) { return k; };
  add_up(sum.words, sum.share, 0, sum.n_usual, in_order);
  if (terms.rare) add_up(sum.words, sum.share, sum.n_usual, sum.n_words, in_order);
  if (!peer_signals::is_last_block(sum.signals)) return;
  if (divides && sum.share.rank == 0) peer_balance::divide_work(sum.balance, sum.share.size);
  const std::uint32_t peer = threadIdx.x;
  if (peer < sum.share.size && sum.faults[peer] != nullptr) sum.errors.take_over(__ldcv(sum.faults[peer]));
  if (!peer_signals::finish(sum.signals, round, 0).come) return;
  if (threadIdx.x != 0) return;
  if (sum.rare != nullptr) *sum.rare = 0;
  if (notes_time) peer_balance::begin_work(sum.balance, sum.share.rank);
  peer_signals::end_round(sum.signals, round);
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
  if (first < sum.share.size) sum.errors.take_over(~sum.copy[sum.n_words + first]);
  if (first == 0 && sum.rare != nullptr) *sum.rare = 0;
}

}  // namespace peer_sum_detail

/// Always wants a sum.
struct InAnyCase {
  __device__ bool operator()() const { return true; }
};

#endif

/// The last n_words of an array, if they are zero in most sums, which then leave them out. d_any: not 0 if they are not
/// all zero; kernels that write such words set it, and a sum sets it to 0.
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
  /// of the same length. errors: if given, a fault of one peer becomes that of all at the sum. balance: if given, sums
  /// note the time between them, and may divide the work anew.
  PeerSum(const Cuda& cuda, const Peer& peer, unsigned long long* d_words, std::size_t n_words,
          const RareWords& rare = {}, const ErrorRecordView* errors = nullptr, const PeerBalance* balance = nullptr)
      : nccl_(peer.group.nccl()), meetings_(cuda.stream, peer), d_copy_(cuda.stream) {
    const auto addresses_of = [&]<class T>(T* mine, auto* to) {
      const std::vector<void*> all = peer.group.gather(peer.rank, mine);
      for (std::size_t k = 0; k < all.size(); ++k) to[k] = static_cast<T*>(all[k]);
    };
    addresses_of(d_words, view_.words);
    view_.signals = meetings_.view();
    if (errors != nullptr) {
      addresses_of(errors->first(), view_.faults);
      view_.errors = *errors;
    }
    if (balance != nullptr) std::copy(balance->states().begin(), balance->states().end(), view_.balance);
    view_.n_words = n_words;
    view_.n_usual = n_words - rare.n_words;
    view_.rare = rare.d_any;
    view_.share = peer.share();
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
  /// it divides the work anew, by the times since the last division.
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
  PeerMeetings meetings_;
  DeviceBuffer<unsigned long long> d_copy_;
  PeerSumView view_{};
  std::uint32_t blocks_ = 1;
};

}  // namespace dropmd

#pragma once

#include <cstddef>
#include <cstdint>

#include "device/communicator/peer_signals.cuh"
#include "engine/device/device_atoms.cuh"
#include "engine/device/peers/peer_arrays.cuh"
#include "engine/persistent/persistent_steps.cuh"

/// Completes the state of each GPU after a launch of a persistent kernel that several GPUs performed together.
namespace dropmd {

/// What a persistent kernel changes on one GPU.
struct PersistentArrays {
  PeerArrays atoms;
  StepSums* sums;  ///< [PersistentSteps::n_sums()]
  std::uint64_t* fault_step;
};

struct PeerExchangeView {
  PersistentArrays of[PersistentPeers::kMost + 1];  ///< by rank
  PeerSignalsView signals;
  PersistentSteps::Own own;
  const std::uint32_t* host_index;  ///< [n_atoms]
  ErrorRecordView errors;
  std::uint32_t* h_faulty;
};

#if defined(__CUDACC__)

namespace peer_exchange {

constexpr std::uint32_t kThreads = 128;

/// Takes over a fault of a peer.
__device__ inline void take_fault(const PeerExchangeView& view, const PersistentArrays& mine,
                                  const PersistentArrays& peer) {
  const auto* const noted = reinterpret_cast<const unsigned long long*>(peer.fault_step);
  if (const unsigned long long step = __ldcv(noted); step != ~0ULL) {
    atomicMin(reinterpret_cast<unsigned long long*>(mine.fault_step), step);
    *static_cast<volatile std::uint32_t*>(view.h_faulty) = 1;
  }
  view.errors.take_over(__ldcv(peer.atoms.first_fault));
}

/// with_sums: whether the launch has written sums.
__global__ void __launch_bounds__(kThreads)
    exchange_kernel(const __grid_constant__ PeerExchangeView view, bool with_sums) {
  const PersistentArrays& mine = view.of[view.signals.rank];
  const std::uint32_t first = blockIdx.x * kThreads + threadIdx.x, stride = gridDim.x * kThreads;
  const std::uint32_t round = view.signals.next_round();
  // A GPU without atoms of its own may still be busy with something other than steps.
  if (blockIdx.x == 0) peer_signals::say_ready(view.signals, round, 0);
  if (!peer_signals::wait_until_ready(view.signals, round).come) return;
  for (std::uint32_t rank = 0; rank < view.signals.size; ++rank) {
    if (rank == view.signals.rank) continue;
    const PersistentArrays& to = view.of[rank];
    for (std::uint32_t k = view.own.begin + first; k < view.own.end; k += stride) {
      const std::uint32_t index = view.own.at != nullptr ? view.own.at[k] : k;
      if (index != RigidMolecules::kNoAtom) give_atom(mine.atoms, to.atoms, index, view.host_index[index]);
    }
    for (std::uint32_t k = view.own.begin_sum + first; with_sums && k < view.own.end_sum; k += stride)
      to.sums[k] = mine.sums[k];
  }
  const std::uint32_t peer = threadIdx.x;
  if (!peer_signals::is_last_block(view.signals)) return;
  // Done before the peers go on, since their hosts then clear faults.
  if (peer < view.signals.size && peer != view.signals.rank) take_fault(view, mine, view.of[peer]);
  if (!peer_signals::finish(view.signals, round, 0).come) return;
  if (threadIdx.x == 0) peer_signals::end_round(view.signals, round);
}

}  // namespace peer_exchange

#endif

/// The exchange of one GPU with the others: each gives them its own atoms, and takes over their faults. The host waits
/// only during construction.
class PeerExchange {
 public:
  /// d_sums: where the persistent kernel writes. Waits for the other peers; all memory must stay where it is.
  PeerExchange(const Peer& peer, const DeviceAtoms<float>& atoms, const PersistentSteps& steps, StepSums* d_sums)
      : meetings_(atoms.stream, peer) {
    gather_values(peer, PersistentArrays{PeerArrays::of(atoms.view), d_sums, steps.fault_step_word()}, view_.of);
    view_.signals = meetings_.view();
    view_.own = steps.own();
    view_.host_index = atoms.view.atoms.host_index;
    view_.errors = atoms.view.sums.errors;
    view_.h_faulty = steps.faulty_word();
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
  PeerMeetings meetings_;
  PeerExchangeView view_{};
};

}  // namespace dropmd

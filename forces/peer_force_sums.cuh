#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "device/communicator/peer_sum.cuh"
#include "device/timer.cuh"
#include "forces/forces_added.cuh"
#include "forces/pair/cuda/all_pairs/tile_forces.cuh"
#include "forces/pair/cuda/partial_energy.cuh"

namespace dropmd {

/// The sums over the GPUs that perform a run together: of forces in every step, and of the pairs' energies. It also
/// says which GPU computes what is not shared out.
template <class Real>
class PeerForceSums {
 public:
  /// work, sums: this peer's. It waits for the other peers, as add_energies() does.
  PeerForceSums(const Cuda& cuda, const PeerWork& work, const ForceSums<Real>& sums)
      : peer_(*work.peer),
        errors_(work.errors),
        forces_(cuda, peer_, sums.words().data(), sums.words().size(), {sums.words().size() / 2, sums.view().any_high},
                &errors_, work.balance),
        squares_(cuda, peer_, sums.squares().data(), sums.squares().size()) {
    measure(cuda);
  }
  void add_energies(const Cuda& cuda, PartialEnergy* d_pairs, std::uint32_t n) {
    static_assert(sizeof(PartialEnergy) == 3 * sizeof(unsigned long long));
    // All but one of the terms of each sum are zero, so that the sums of their bits are the bits of their sums.
    energies_ =
        std::make_unique<PeerSum>(cuda, peer_, reinterpret_cast<unsigned long long*>(d_pairs), 3 * std::size_t{n});
  }

  /// Whether this peer adds the forces of a term of many atoms other than the pairs: the last peer adds those of the
  /// first term, and so on.
  bool adds_term(std::size_t term) const { return term % peer_.group.size() == peer_.group.size() - 1 - peer_.rank; }
  bool adds_slow_forces() const { return peer_.rank == 0; }

#if defined(__CUDACC__)
  /// Enqueues the sum of the forces, and of their squares if these are wanted. A fault of one peer becomes a fault of
  /// all. divides: whether the work is divided anew.
  void sum(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums, bool divides) const {
    forces_(cuda, ForcesAdded<Real>{now, errors_}, divides);
    if (sums.squares != nullptr) squares_(cuda, ForcesAdded<Real>{now, errors_});
  }
  void sum_energies(const Cuda& cuda) const { (*energies_)(cuda); }
#endif

 private:
  /// Measures a sum of forces, for the user: on hosts without NVLink it may take longer than the forces.
  void measure(const Cuda& cuda) const {
#if defined(__CUDACC__)
    constexpr int kSums = 5;
    forces_(cuda, InAnyCase{}, false);  // the peers begin together
    Timer timer;
    timer.start(cuda.stream);
    for (int k = 0; k < kSums; ++k) forces_(cuda, InAnyCase{}, false);
    timer.stop(cuda.stream);
    cuda.stream.synchronize("measuring sums over GPUs");
    peer_.group.note_sum_seconds(timer.seconds() / kSums);
#endif
  }

  Peer peer_;
  ErrorRecordView errors_;
  PeerSum forces_, squares_;
  std::unique_ptr<PeerSum> energies_;
};

}  // namespace dropmd

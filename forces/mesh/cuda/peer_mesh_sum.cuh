#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "device/communicator/add_up.cuh"
#include "device/communicator/peer_group.h"
#include "device/communicator/peer_signals.cuh"
#include "device/device_info.h"
#include "forces/mesh/cuda/mesh_view.cuh"

namespace dropmd {

/// The charges on the meshes of all peers, as the kernel of their sum takes them.
template <class Real>
struct PeerMeshView {
  /// Sums are modulo 2 to the power of the number of bits, as on one GPU.
  using Word = std::make_unsigned_t<typename MeshInteger<Real>::Type>;

  Word* sums[PeerGroup::kMost];  ///< of each peer, by rank
  MeshValues<Real> values;       ///< their shape, the same for all
  PeerSignalsView signals;
  WorkShare share;
};

#if defined(__CUDACC__)

namespace peer_mesh_detail {

inline constexpr std::uint32_t kThreads = 512;

/// Sums the charges at the points of the box if wanted() is true, which must be so for all peers or for none.
template <class Real, class Wanted>
__global__ void __launch_bounds__(kThreads)
    peer_mesh_sum_kernel(const __grid_constant__ PeerMeshView<Real> mesh, const __grid_constant__ Wanted wanted) {
  if (!wanted()) return;
  const std::uint32_t round = mesh.signals.next_round();
  if (blockIdx.x == 0) peer_signals::say_ready(mesh.signals, round, 0);
  if (!peer_signals::wait_until_ready(mesh.signals, round).come) return;
  const auto points_y = static_cast<std::uint32_t>(mesh.values.points[1]),
             points_z = static_cast<std::uint32_t>(mesh.values.points[2]);
  const std::size_t n = std::size_t{static_cast<std::uint32_t>(mesh.values.points[0])} * points_y * points_z;
  add_up(mesh.sums, mesh.share, 0, n, [&](std::size_t point) {
    const std::size_t row = point / points_z;
    return mesh.values.index(static_cast<int>(row / points_y), static_cast<int>(row % points_y),
                             static_cast<int>(point % points_z));
  });
  if (!peer_signals::is_last_block(mesh.signals)) return;
  if (!peer_signals::finish(mesh.signals, round, 0).come) return;
  if (threadIdx.x == 0) peer_signals::end_round(mesh.signals, round);
}

}  // namespace peer_mesh_detail

#endif

/// Sums the charges that peers have spread on meshes of the same box, in place, over memory that each can access. Since
/// charges are integers, the sums are bitwise those of a single GPU. Nothing waits on the host or allocates after
/// construction.
template <class Real>
class PeerMeshSum {
 public:
  /// Waits for the other peers.
  PeerMeshSum(const Cuda& cuda, const Peer& peer, const MeshView<Real>& mesh) : meetings_(cuda.stream, peer) {
    const std::vector<void*> all = peer.group.gather(peer.rank, mesh.sums());
    for (std::size_t k = 0; k < all.size(); ++k)
      view_.sums[k] = static_cast<typename PeerMeshView<Real>::Word*>(all[k]);
    view_.values = mesh.values;
    view_.signals = meetings_.view();
    view_.share = peer.share();
    // One block for each multiprocessor, since other kernels run while it waits.
    blocks_ = static_cast<std::uint32_t>(require_device(cuda.stream.device()).multiprocessors);
  }

#if defined(__CUDACC__)
  /// Enqueues a sum, which has an effect if wanted() is true on the device: on all peers, or on none.
  template <class Wanted>
  void operator()(const Cuda& cuda, const Wanted& wanted) const {
    using namespace peer_mesh_detail;
    peer_mesh_sum_kernel<<<blocks_, kThreads, 0, cuda.get()>>>(view_, wanted);
    DROPMD_CUDA_LAUNCHED("summing the charges on a mesh over GPUs");
  }
#endif

 private:
  PeerMeetings meetings_;
  PeerMeshView<Real> view_{};
  std::uint32_t blocks_ = 1;
};

}  // namespace dropmd

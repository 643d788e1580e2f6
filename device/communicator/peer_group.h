#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/communicator/nccl.h"
#include "device/communicator/work_share.h"

namespace dropmd {

class RunRanks;

/// The GPUs that perform a run together, *peers*, each with a thread of the host or a process of its own. They access
/// each other's memory if all of them can, and otherwise add up by NCCL, which is slower.
class PeerGroup {
 public:
  static constexpr std::uint32_t kMost = 16;  ///< GPUs of a host that see each other

  /// devices: at least two different ones, alike. Throws DeviceError if they are not, or if one cannot access the
  /// memory of another and there is no NCCL. The environment variable DROPMD_NO_PEER_MEMORY makes them use NCCL in any
  /// case, for hosts whose GPUs hang when they access each other's memory. With NCCL, the host runs all loops of this
  /// process from now on (device/loop_graph.cuh), since NCCL cannot be part of loops on the device.
  explicit PeerGroup(const std::vector<int>& devices);
  /// For the GPUs of several processes, of which this one has `device`; they use NCCL. All ranks construct it together.
  /// Throws DeviceError in all of them if two have the same GPU, if the GPUs are not alike, or if one cannot use NCCL.
  PeerGroup(RunRanks& ranks, int device);
  ~PeerGroup();
  PeerGroup(const PeerGroup&) = delete;
  PeerGroup& operator=(const PeerGroup&) = delete;

  std::uint32_t size() const { return static_cast<std::uint32_t>(devices_.size()); }
  /// The device of a peer of this process.
  int device(std::uint32_t rank) const { return devices_[rank]; }

  /// Null: the peers access each other's memory.
  const NcclPeers* nccl() const { return nccl_.get(); }

  /// Whether sixteen bytes that one peer stores reach the memory of another as one (device/packet.cuh): over NVLink.
  bool passes_packets() const { return passes_packets_; }

  /// Notes how long a sum of forces takes, for the user, seconds.
  void note_sum_seconds(double seconds) { sum_seconds_ = seconds; }
  /// Notes that the peers do not add up, but publish positions (engine/persistent).
  void note_publishing() { publish_ = true; }
  /// Notes that each peer moves its own atoms (engine/device/peers).
  void note_own_atoms() { own_atoms_ = true; }
  /// Notes that the peers divide a mesh (forces/mesh).
  void note_divided_mesh() { divided_mesh_ = true; }
  /// Returns how the peers work together, and how long a sum takes, if it was noted.
  std::string describe() const;

  /// Returns the addresses that all peers pass, by rank, null for those of other processes; waits for the peers of this
  /// process. All must call it, in the same order. Throws DeviceError after abandon().
  std::vector<void*> gather(std::uint32_t rank, void* mine);

  /// Ends all waits of peers for each other, including those of their GPUs; nothing that they compute afterwards has a
  /// meaning. To be called when one of them cannot go on.
  void abandon() noexcept;
  bool abandoned() const { return abandoned_; }
  /// A word in page-locked memory: not 0 after abandon().
  const std::uint32_t* word_of_abandon() const;

 private:
  struct HostWord;

  PeerGroup(std::vector<int> devices, std::size_t n_here);

  std::vector<int> devices_;  ///< by rank; -1: of another process
  std::uint32_t n_here_;      ///< peers of this process
  std::unique_ptr<HostWord> word_;
  std::shared_ptr<NcclPeers> nccl_;
  bool passes_packets_ = false;
  std::atomic<double> sum_seconds_{0};
  std::atomic<bool> publish_{false}, own_atoms_{false}, divided_mesh_{false};
  std::atomic<bool> abandoned_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<void*> arriving_, gathered_;  ///< [size()] addresses of this round, and of the last complete one
  std::uint32_t arrived_ = 0;
  std::uint64_t round_ = 0;
};

/// One of the peers.
struct Peer {
  PeerGroup& group;
  std::uint32_t rank;

  WorkShare share() const { return {rank, group.size()}; }
};

}  // namespace dropmd

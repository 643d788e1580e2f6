#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "device/communicator/work_share.h"

namespace dropmd {

/// The GPUs that perform a run together, *peers*, each with a thread of the host. They access each other's memory.
class PeerGroup {
 public:
  static constexpr std::uint32_t kMost = 16;  ///< GPUs of a host that see each other

  /// devices: at least two different ones, alike. Throws DeviceError if they are not, or if one cannot access the
  /// memory of another.
  explicit PeerGroup(std::vector<int> devices);
  ~PeerGroup();
  PeerGroup(const PeerGroup&) = delete;
  PeerGroup& operator=(const PeerGroup&) = delete;

  std::uint32_t size() const { return static_cast<std::uint32_t>(devices_.size()); }
  int device(std::uint32_t rank) const { return devices_[rank]; }

  /// Returns the addresses that all peers pass, by rank; waits for them. All must call it, in the same order. Throws
  /// DeviceError after abandon().
  std::vector<void*> gather(std::uint32_t rank, void* mine);

  /// Ends all waits of peers for each other, also those of their GPUs, after which nothing that they compute has a
  /// meaning: to be called when one of them cannot go on.
  void abandon() noexcept;
  bool abandoned() const { return abandoned_; }
  /// Page-locked: not 0 after abandon().
  const std::uint32_t* word_of_abandon() const;

 private:
  struct HostWord;

  std::vector<int> devices_;
  std::unique_ptr<HostWord> word_;
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

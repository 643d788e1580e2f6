#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dropmd {

class RunRanks;

/// Returns why NCCL, NVIDIA's library for sums over GPUs, cannot be used here, for the user; empty: it can. It is
/// loaded when it is first needed.
std::string nccl_problem();
/// Returns the version of NCCL, such as "2.28.3"; empty if it cannot be used.
std::string nccl_version();

/// Sums over GPUs by NCCL, which finds a way between any two of them: NVLink, PCIe, or the memory of the host.
class NcclPeers {
 public:
  /// devices: different GPUs of this process. Throws DeviceError if NCCL cannot be used.
  explicit NcclPeers(const std::vector<int>& devices);
  /// For the GPUs of several processes, of which this one has the current device. All ranks construct it together.
  explicit NcclPeers(RunRanks& ranks);
  ~NcclPeers();
  NcclPeers(const NcclPeers&) = delete;
  NcclPeers& operator=(const NcclPeers&) = delete;

  /// Enqueues a sum of the words [n_words] of all peers, which replaces them; stream: a cudaStream_t of the peer's GPU.
  /// Every peer must enqueue it, each from a thread or process of its own. Throws DeviceError.
  void sum(std::uint32_t rank, void* stream, unsigned long long* d_words, std::size_t n_words) const;

  /// Ends the sums that GPUs are waiting for; nothing may be enqueued afterwards.
  void abandon() noexcept;

 private:
  struct Communicators;
  std::unique_ptr<Communicators> communicators_;
};

}  // namespace dropmd

#pragma once

#include <cstdint>
#include <cuda/atomic>

namespace dropmd {

/// A barrier of all blocks of a kernel that run at once. It is faster than that of cooperative groups, since a block
/// does not wait for its own arrival to return before it looks for those of the others.
class GridBarrier {
 public:
  /// word: in device memory, zero before its first barrier; of one kernel at a time. All blocks must make it.
  explicit __device__ GridBarrier(std::uint32_t* word) : word_(*word) {
    // No barrier can end before this block has arrived at it.
    if (threadIdx.x == 0) side_ = word_.load(cuda::memory_order_relaxed) & kSide;
  }

  /// Waits until all threads of all blocks have called it; what they wrote before is then visible to all.
  __device__ void wait() {
    __syncthreads();
    if (threadIdx.x == 0) {
      // The arrivals at one barrier add up to kSide.
      word_.fetch_add(blockIdx.x == 0 ? kSide - (gridDim.x - 1) : 1, cuda::memory_order_release);
      side_ ^= kSide;
      while ((word_.load(cuda::memory_order_acquire) & kSide) != side_) {
      }
    }
    __syncthreads();
  }

 private:
  static constexpr std::uint32_t kSide = 1U << 31U;  ///< the bit that changes when a barrier ends

  cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> word_;
  std::uint32_t side_ = 0;
};

}  // namespace dropmd

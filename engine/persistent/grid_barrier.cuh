#pragma once

#include <cstdint>
#include <cuda/atomic>

namespace dropmd {

/// A barrier of all blocks of a kernel that run at once: that of their cluster if they form one (GridLaunch), otherwise
/// one by a word in memory. The latter is faster than the barrier of cooperative groups, since a block does not wait
/// for its own arrival to return before it looks for those of the others.
class GridBarrier {
 public:
  /// word: in device memory, zero before its first barrier, used by one kernel at a time; null: the grid is a cluster.
  /// All blocks must construct the barrier.
  explicit __device__ GridBarrier(std::uint32_t* word) : word_(word) {
    // No barrier can end before this block has arrived at it.
    if (word != nullptr && threadIdx.x == 0) side_ = at(*word).load(cuda::memory_order_relaxed) & kSide;
  }

  /// Waits until all threads of all blocks have called it; what they wrote before is then visible to all.
  __device__ void wait() {
    if (word_ == nullptr) return wait_for_cluster();
    __syncthreads();
    if (threadIdx.x == 0) {
      // The arrivals at one barrier add up to kSide.
      at(*word_).fetch_add(blockIdx.x == 0 ? kSide - (gridDim.x - 1) : 1, cuda::memory_order_release);
      side_ ^= kSide;
      while ((at(*word_).load(cuda::memory_order_acquire) & kSide) != side_) {
      }
    }
    __syncthreads();
  }

 private:
  static constexpr std::uint32_t kSide = 1U << 31U;  ///< the bit that changes when a barrier ends

  static __device__ cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> at(std::uint32_t& word) {
    return cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>(word);
  }
  static __device__ void wait_for_cluster() {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "barrier.cluster.arrive.release;\n"
        "barrier.cluster.wait.acquire;" ::
            : "memory");
#else
    __trap();  // GridLaunch makes no clusters with such code
#endif
  }

  std::uint32_t* word_;
  std::uint32_t side_ = 0;
};

}  // namespace dropmd

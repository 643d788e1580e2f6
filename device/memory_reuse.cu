#include "device/memory_reuse.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <vector>

#include "device/check.cuh"
#include "device/pinned_memory.cuh"

namespace dropmd {

namespace {

/// The page-locked memory that nobody uses, while it is kept.
struct KeptBlocks {
  std::mutex mutex;
  int keepers = 0;  ///< number of guards that exist
  std::vector<PinnedBlock> blocks;
};

KeptBlocks& kept_blocks() {
  static KeptBlocks kept;
  return kept;
}

/// Sets the number of unused bytes above which a pool returns memory to the device.
void set_release_threshold(int device, std::uint64_t bytes) {
  cudaMemPool_t pool{};
  if (cudaDeviceGetDefaultMemPool(&pool, device) == cudaSuccess)
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &bytes);
  cudaGetLastError();  // without a pool, memory is returned as before
}

/// The guard that reuse_memory() returns.
class MemoryReuse {
 public:
  explicit MemoryReuse(int device) : device_(device) {
    KeptBlocks& kept = kept_blocks();
    const std::scoped_lock lock(kept.mutex);
    constexpr std::size_t kMostBlocks = 1024;  // some for each run of an ensemble
    kept.blocks.reserve(kMostBlocks);
    ++kept.keepers;
    set_release_threshold(device_, std::numeric_limits<std::uint64_t>::max());
  }
  ~MemoryReuse() {
    std::vector<PinnedBlock> unused;
    {
      KeptBlocks& kept = kept_blocks();
      const std::scoped_lock lock(kept.mutex);
      if (--kept.keepers == 0) unused.swap(kept.blocks);
      set_release_threshold(device_, 0);
    }
    for (const PinnedBlock& block : unused) cudaFreeHost(block.at);
  }
  MemoryReuse(const MemoryReuse&) = delete;
  MemoryReuse& operator=(const MemoryReuse&) = delete;

 private:
  int device_;
};

}  // namespace

PinnedBlock allocate_pinned(std::size_t bytes) {
  constexpr std::size_t kMostWaste = 2;  // a block serves allocations of at least half its size
  {
    KeptBlocks& kept = kept_blocks();
    const std::scoped_lock lock(kept.mutex);
    auto best = kept.blocks.end();
    for (auto it = kept.blocks.begin(); it != kept.blocks.end(); ++it)
      if (it->bytes >= bytes && it->bytes <= kMostWaste * bytes &&
          (best == kept.blocks.end() || it->bytes < best->bytes))
        best = it;
    if (best != kept.blocks.end()) {
      const PinnedBlock block = *best;
      kept.blocks.erase(best);
      return block;
    }
  }
  PinnedBlock block{nullptr, bytes};
  DROPMD_CUDA(cudaMallocHost(&block.at, bytes), "allocating page-locked memory");
  return block;
}

void free_pinned(PinnedBlock block) noexcept {
  if (block.at == nullptr) return;
  KeptBlocks& kept = kept_blocks();
  {
    const std::scoped_lock lock(kept.mutex);
    if (kept.keepers > 0 && kept.blocks.size() < kept.blocks.capacity()) {
      kept.blocks.push_back(block);
      return;
    }
  }
  cudaFreeHost(block.at);
}

std::shared_ptr<const void> reuse_memory(int device) { return std::make_shared<MemoryReuse>(device); }

}  // namespace dropmd

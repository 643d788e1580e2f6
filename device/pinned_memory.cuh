#pragma once

#include <cstddef>

namespace dropmd {

/// Page-locked host memory.
struct PinnedBlock {
  void* at = nullptr;
  std::size_t bytes = 0;
};

/// Returns a block of at least so many bytes. Throws DeviceError.
PinnedBlock allocate_pinned(std::size_t bytes);
/// Frees a block, or keeps it for the next allocation (reuse_memory()).
void free_pinned(PinnedBlock block) noexcept;

}  // namespace dropmd

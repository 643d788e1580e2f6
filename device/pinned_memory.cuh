#pragma once

#include <cstddef>

#include "device/stream.cuh"

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

/// Stores a few words of device memory in page-locked host memory by a kernel, in stream order. Copies from the device
/// are performed in the order in which all streams of the process have enqueued them, so one that waits for long steps
/// would delay those of other runs. bytes: a multiple of 4.
void store_on_host(cudaStream_t stream, const void* d_from, void* h_to, std::size_t bytes);

}  // namespace dropmd

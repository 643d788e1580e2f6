#pragma once

#include <cstddef>

#include "device/check.cuh"

namespace dropmd {

/// Bytes of shared memory that a block may have on a device if its kernel asks for them; static memory included.
inline std::size_t most_shared_bytes(int device) {
  int most = 0;
  DROPMD_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
              "asking for the size of shared memory");
  return static_cast<std::size_t>(most);
}

}  // namespace dropmd

#pragma once

#include <cstddef>

#include "device/check.cuh"

namespace dropmd {

/// Returns the bytes of shared memory, including static memory, that a block can have on a device if its kernel
/// requests them.
inline std::size_t most_shared_bytes(int device) {
  int most = 0;
  DROPMD_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
              "asking for the size of shared memory");
  return static_cast<std::size_t>(most);
}

/// Allows a kernel's blocks the largest dynamic shared memory besides what the kernel declares.
template <class Kernel>
void allow_shared_memory(Kernel* kernel, int device) {
  constexpr std::size_t kDeclared = 2048;
  DROPMD_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(most_shared_bytes(device) - kDeclared)),
              "asking for shared memory");
}

}  // namespace dropmd

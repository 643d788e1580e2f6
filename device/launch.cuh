#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "device/cuda.cuh"

namespace dropmd {

/// Returns whether the code of this build that runs on a device of that compute capability (100 major + 10 minor) can
/// wait for the previous kernel: code for 9.0 or later can.
constexpr bool can_wait_for_kernel_before(int capability) {
#if defined(__CUDA_ARCH_LIST__)
  constexpr std::array kBuiltFor{__CUDA_ARCH_LIST__};
  const bool native = std::find(kBuiltFor.begin(), kBuiltFor.end(), capability) != kBuiltFor.end();
  // Otherwise the driver may compile the code for the oldest one.
  const int oldest = *std::min_element(kBuiltFor.begin(), kBuiltFor.end());
  return (native ? capability : oldest) >= 900;
#else
  return false;
#endif
}

/// The shape of a kernel launch.
struct LaunchShape {
  std::uint32_t blocks;
  std::uint32_t threads;         ///< per block
  std::size_t shared_bytes = 0;  ///< dynamic, per block
  std::uint32_t rows = 1;        ///< rows of blocks
};

/// Launches a kernel that the device may set up while the previous kernel in the stream is still running. The kernel
/// must call wait_for_kernel_before() before it accesses what others write (CUDA C++ programming guide, programmatic
/// dependent launch). If it cannot wait, it is launched normally. `doing` completes "while ...".
template <class... Parameters, class... Arguments>
void launch_early(const Cuda& cuda, void (*kernel)(Parameters...), const LaunchShape& shape, const char* doing,
                  const Arguments&... arguments) {
  int major = 0, minor = 0;
  const int device = cuda.stream.device();
  DROPMD_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), doing);
  DROPMD_CUDA(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), doing);
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(shape.blocks, shape.rows);
  config.blockDim = dim3(shape.threads);
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = cuda.get();
  config.attrs = &early;
  config.numAttrs = can_wait_for_kernel_before(100 * major + 10 * minor) ? 1 : 0;
  DROPMD_CUDA(cudaLaunchKernelEx(&config, kernel, arguments...), doing);
}

#if defined(__CUDACC__)
/// For kernels launched by launch_early(): lets the next kernel be set up, then waits for the end of the previous one.
__device__ inline void wait_for_kernel_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
}
#endif

}  // namespace dropmd

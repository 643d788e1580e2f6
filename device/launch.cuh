#pragma once

#include <cstdint>

#include "device/cuda.cuh"

namespace dropmd {

/// Launches a kernel that the device may set up while the kernel before it in the stream still runs. The kernel calls
/// wait_for_kernel_before() before it touches what others write (CUDA C++ programming guide, programmatic dependent
/// launch). `doing` completes "while ...".
template <class... Parameters, class... Arguments>
void launch_early(const Cuda& cuda, void (*kernel)(Parameters...), std::uint32_t blocks, std::uint32_t threads,
                  const char* doing, const Arguments&... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.stream = cuda.get();
  config.attrs = &early;
  config.numAttrs = 1;
  DROPMD_CUDA(cudaLaunchKernelEx(&config, kernel, arguments...), doing);
}

#if defined(__CUDACC__)
/// In a kernel of launch_early: lets the next kernel be set up, then waits for the end of the one before.
__device__ inline void wait_for_kernel_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
}
#endif

}  // namespace dropmd

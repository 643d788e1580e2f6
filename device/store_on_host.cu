#include <cstdint>

#include "device/check.cuh"
#include "device/pinned_memory.cuh"

namespace dropmd {

namespace {

constexpr std::uint32_t kThreads = 128;

__global__ void __launch_bounds__(kThreads)
    store_on_host_kernel(const std::uint32_t* d_from, std::uint32_t* h_to, std::uint32_t n) {
  for (std::uint32_t k = threadIdx.x; k < n; k += kThreads) h_to[k] = d_from[k];
}

}  // namespace

void store_on_host(cudaStream_t stream, const void* d_from, void* h_to, std::size_t bytes) {
  store_on_host_kernel<<<1, kThreads, 0, stream>>>(static_cast<const std::uint32_t*>(d_from),
                                                   static_cast<std::uint32_t*>(h_to),
                                                   static_cast<std::uint32_t>(bytes / sizeof(std::uint32_t)));
  DROPMD_CUDA_LAUNCHED("reading results from the device");
}

}  // namespace dropmd

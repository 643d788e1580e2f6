#pragma once

#include <cstdint>

#include "forces/device_force_term.cuh"
#include "forces/mesh/cuda/outside.cuh"

namespace dropmd {

#if defined(__CUDACC__)

/// Puts the charges outside into the order of the host's arrays: `ordered` receives the list. Each thread counts, for
/// one charge, those that come before it.
template <class Real>
__global__ void __launch_bounds__(OutsideTuning::kThreads)
    order_outside_kernel(DeviceMoment<Real> now, OutsideView outside, OutsideAtom* ordered) {
  constexpr std::uint32_t kThreads = OutsideTuning::kThreads;
  __shared__ std::uint32_t host_index[kThreads];
  const std::uint32_t n = *outside.count, k = blockIdx.x * kThreads + threadIdx.x;
  if (blockIdx.x * kThreads >= n) return;
  const OutsideAtom mine = outside.list[k < n ? k : 0];
  const std::uint32_t mine_on_host = now.host_index[mine.atom()];
  std::uint32_t before = 0;
  for (std::uint32_t first = 0; first < n; first += kThreads) {
    const std::uint32_t n_here = min(kThreads, n - first);
    __syncthreads();
    if (threadIdx.x < n_here) host_index[threadIdx.x] = now.host_index[outside.list[first + threadIdx.x].atom()];
    __syncthreads();
    for (std::uint32_t other = 0; other < n_here; ++other) before += host_index[other] < mine_on_host ? 1 : 0;
  }
  if (k < n) ordered[before] = mine;
}

#endif

}  // namespace dropmd

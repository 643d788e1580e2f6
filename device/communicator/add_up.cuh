#pragma once

#include <cstddef>
#include <cstdint>

#include "device/communicator/work_share.h"

namespace dropmd {

#if defined(__CUDACC__)

/// Adds up the part of elements `from` to `to` of the peers' arrays for which this peer is responsible, and gives all
/// peers the sums. Nobody else reads or writes these elements in the meantime, so the sums replace the terms. All
/// threads of a grid of one-dimensional blocks must call it. of_peer: [share.size] arrays in the memory of all; at(k):
/// where they have element k.
template <class Integer, class At>
__device__ void add_up(Integer* const* of_peer, const WorkShare& share, std::size_t from, std::size_t to,
                       const At& at) {
  constexpr int kAtOnce = 4;  // elements of a thread in flight
  const std::size_t begin = from + (to - from) * share.rank / share.size,
                    end = from + (to - from) * (share.rank + 1) / share.size;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t first = begin + std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; first < end;
       first += kAtOnce * stride) {
    Integer total[kAtOnce] = {};
    for (std::uint32_t peer = 0; peer < share.size; ++peer) {
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        if (first + k * stride < end) total[k] += __ldcv(of_peer[peer] + at(first + k * stride));
    }
    for (std::uint32_t peer = 0; peer < share.size; ++peer) {
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        if (first + k * stride < end) of_peer[peer][at(first + k * stride)] = total[k];
    }
  }
}

#endif

}  // namespace dropmd

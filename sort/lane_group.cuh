#pragma once

#include <cstdint>

#include "sort/comparator_network.h"

namespace dropmd {

inline constexpr int kWarp = 32;
inline constexpr unsigned kWholeWarp = 0xFFFFFFFFU;

template <class Key>
__device__ inline Key lower_or_upper(bool upper, Key mine, Key other) {
  return (other < mine) != upper ? other : mine;
}

__device__ inline std::uint32_t lower_or_upper(bool upper, std::uint32_t mine, std::uint32_t other) {
  return upper ? ::max(mine, other) : ::min(mine, other);
}

/// Performs one step of a bitonic merge between lanes: keys of the same register, lanes `mask` apart.
template <int M, class Key>
__device__ inline void split_lanes(Key (&key)[M], int mask, bool upper) {
#pragma unroll
  for (int i = 0; i < M; ++i) key[i] = lower_or_upper(upper, key[i], __shfl_xor_sync(kWholeWarp, key[i], mask));
}

/// Performs the first step of a merge: taking the upper half of the lanes in reverse order turns the two sorted runs
/// into one bitonic sequence, so that every sort is ascending.
template <int M, class Key>
__device__ inline void split_mirrored(Key (&key)[M], int mask, bool upper) {
#pragma unroll
  for (int i = 0; i < M / 2; ++i) {
    const Key high = __shfl_xor_sync(kWholeWarp, key[M - 1 - i], mask);
    const Key low = __shfl_xor_sync(kWholeWarp, key[i], mask);
    key[i] = lower_or_upper(upper, key[i], high);
    key[M - 1 - i] = lower_or_upper(upper, key[M - 1 - i], low);
  }
  if constexpr (M % 2 != 0) {
    Key& middle = key[M / 2];
    middle = lower_or_upper(upper, middle, __shfl_xor_sync(kWholeWarp, middle, mask));
  }
}

/// Sorts the M·2^log_lanes keys of each group of 2^log_lanes neighbouring lanes: afterwards lane l of a group holds the
/// keys of ranks [l·M, l·M + M) in order. All lanes of the warp must call it with the same M and log_lanes.
///
/// Each lane sorts its own keys with Batcher's network; then runs of 1, 2, 4 ... lanes are merged bitonically. A key is
/// exchanged between lanes log_lanes (log_lanes + 1)/2 times. The loops are not unrolled: that would not make them
/// faster, and the code of several size classes would exceed the instruction cache.
template <int M, class Key>
__device__ inline void sort_lane_group(Key (&key)[M], int log_lanes, int lane) {
  sort_registers(key);
#pragma unroll 1
  for (int run = 1; run <= log_lanes; ++run) {
    split_mirrored(key, (1 << run) - 1, (lane >> (run - 1) & 1) != 0);
#pragma unroll 1
    for (int bit = run - 2; bit >= 0; --bit) split_lanes(key, 1 << bit, (lane >> bit & 1) != 0);
    merge_bitonic<M>(key);
  }
}

}  // namespace dropmd

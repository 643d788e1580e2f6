#pragma once

#include <cstdint>
#include <type_traits>

#include "sort/segments.h"

namespace dropmd {

/// The threads that sort one segment together: a power of two of them, which form part of a warp, a warp or a block.
/// Thread t holds the elements t, t + kThreads, t + 2 kThreads ..., so that neighbouring threads load and store
/// neighbouring words.
template <int kThreads>
struct SortTeam {
  static_assert((kThreads & (kThreads - 1)) == 0);
  static constexpr int kLanes = kThreads < 32 ? kThreads : 32;
  static constexpr int kBlock = kThreads <= 32 ? 128 : kThreads;  ///< threads of a block of the launch
  static constexpr int kTeams = kBlock / kThreads;                ///< teams per block

  int thread;  ///< index in the team
  int index;   ///< index of the team in its block

  static __device__ SortTeam mine() {
    const int thread = static_cast<int>(threadIdx.x);
    return {thread & (kThreads - 1), thread / kThreads};
  }
  static constexpr int blocks(int n_segments) { return n_segments / kTeams + (n_segments % kTeams != 0 ? 1 : 0); }

  __device__ int segment() const { return static_cast<int>(blockIdx.x) * kTeams + index; }
  __device__ int element(int m) const { return thread + m * kThreads; }

  /// Bits of the team's lanes in a vote of its warp.
  __device__ unsigned lanes() const {
    if constexpr (kLanes == 32)
      return 0xFFFFFFFFU;
    else
      return ((1U << kLanes) - 1U) << (threadIdx.x & 31U & ~(kLanes - 1U));
  }
  /// Parts of a warp wait for the whole warp, so all its teams must call this equally often.
  static __device__ void sync() {
    if constexpr (kThreads <= 32)
      __syncwarp();
    else
      __syncthreads();
  }
};

/// A team's segment; its length is 0 if there is none of that index or if it is faulty.
struct TeamSegment {
  int begin = 0;
  int length = 0;
  SegmentFault fault = SegmentFault::none;

  __device__ TeamSegment(const Segments& segments, int index, int max_length) {
    if (index >= segments.count) return;
    const SegmentRange range = segments[index];
    fault = fault_of(range, segments.n_keys, max_length);
    if (fault != SegmentFault::none) return;
    begin = range.begin;
    length = range.length();
  }
};

/// Calls `call` with the first of the ascending capacities that holds `length`, as a compile-time constant; with the
/// last one if none does.
template <int kFirst, int... kMore, class Call>
void with_capacity(int length, Call&& call) {
  if constexpr (sizeof...(kMore) == 0) {
    call(std::integral_constant<int, kFirst>{});
  } else {
    if (length <= kFirst) return call(std::integral_constant<int, kFirst>{});
    with_capacity<kMore...>(length, call);
  }
}

/// Returns the length of the longest segment that a launch must expect.
inline int longest_of(const Segments& segments, int max_length) {
  return segments.offsets != nullptr || segments.length > max_length ? max_length : segments.length;
}

}  // namespace dropmd

#pragma once

#include <cuda_pipeline_primitives.h>

#include "sort/warp_sort.cuh"

/// Sorts in shared memory, which holds a run of neighbouring segments as it is in the array. The run is loaded and
/// stored as a whole, so global memory is accessed in full lines, however short the segments. For elements of 4 bytes
/// of which only keys are stored.
namespace dropmd {

/// The position in shared memory of a key of the run. With gaps, of one word after every 32, segments of 8, 16 or 32
/// keys begin in different banks. Positions that are added must not cross a gap together.
template <bool Gaps>
struct StagePlace {
  static __host__ __device__ constexpr int of(int place) { return Gaps ? place + place / kWarp : place; }
};

/// Starts to copy a key to the stage; the same thread must then call wait_for_stage().
__device__ inline void stage_key(const PackedWord* input, PackedWord* stage) {
  __pipeline_memcpy_async(stage, input, sizeof *stage);
}

__device__ inline void wait_for_stage() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

/// Sorts the segments of one warp in place: each group of 2^LogLanes lanes sorts one, of Shortest to M·2^LogLanes keys,
/// or none. `begin`: position of the segment in the stage.
template <int M, int LogLanes, int Shortest, class Place = StagePlace<false>, class Elements>
__device__ inline void sort_in_stage(const Elements& elements, const GroupSegment& segment, int begin, int lane,
                                     PackedWord* stage) {
  constexpr int kLanes = 1 << LogLanes;
  const int first = lane % kLanes;
  PackedWord key[M];
  {
    const PackedWord* mine = stage + Place::of(begin) + first;
#pragma unroll
    for (int i = 0; i < M; ++i) {
      key[i] = ~PackedWord{0};
      if_below<Shortest>(segment.length, i, kLanes, first, [&] { key[i] = mine[Place::of(i * kLanes)]; });
    }
  }
  elements.prepare(key, segment, LogLanes, lane);
  sort_lane_group(key, LogLanes, lane);
  __syncwarp();
  PackedWord* mine = stage + Place::of(begin + first * M);
  const int left = segment.length - first * M;
#pragma unroll
  for (int i = 0; i < M; ++i) {
    if ((kLanes - 1) * M + i < Shortest ? segment.length > 0 : i < left) mine[i] = key[i];
  }
}

/// Calls use(first key of a row) for the rows of 32 keys of a warp in which this lane has one of the run's n < 32·kRows
/// + 1 keys. The first `Sure` keys of a run need no comparison.
template <int kRows, int Sure, class Use>
__device__ inline void for_each_row(int n, int lane, const Use& use) {
  if (n >= Sure) {
#pragma unroll
    for (int row = 0; row < kRows; ++row) if_below<Sure>(n, row, kWarp, lane, [&] { use(row * kWarp); });
  } else {
#pragma unroll 1
    for (int key = 0; key < n - lane; key += kWarp) use(key);
  }
}

/// Sorts segments of one length: warp w sorts segments [w·slots, (w + 1)·slots), slots = 32/2^LogLanes.
template <int M, int LogLanes, bool Gaps, class Elements>
__global__ void __launch_bounds__(kBlockWarps<Elements>* kWarp)
    sort_staged_kernel(Elements elements, Segments segments) {
  using Place = StagePlace<Gaps>;
  constexpr int kSlots = kWarp >> LogLanes;
  constexpr int kShortest = kClassShortest<M, LogLanes>;
  __shared__ PackedWord stages[kBlockWarps<Elements>][Place::of(M * kWarp)];
  const int warp_in_block = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int first = (static_cast<int>(blockIdx.x * (blockDim.x / kWarp)) + warp_in_block) * kSlots;
  const int begin = first * segments.length;
  const int n = min(kSlots * segments.length, segments.n_keys - begin);
  PackedWord* const stage = stages[warp_in_block];
  PackedWord* const row = stage + lane;
  const PackedWord* const input = elements.input(begin) + lane;
  PackedWord* const output = elements.output(begin) + lane;
  const int slot = lane >> LogLanes;
  GroupSegment segment;
  if (first + slot < segments.count) segment = {first + slot, begin + slot * segments.length, segments.length};

  for_each_row<M, kSlots * kShortest>(n, lane, [&](int key) { stage_key(input + key, row + Place::of(key)); });
  wait_for_stage();
  __syncwarp();
  sort_in_stage<M, LogLanes, kShortest, Place>(elements, segment, slot * segments.length, lane, stage);
  __syncwarp();
  for_each_row<M, kSlots * kShortest>(n, lane, [&](int key) { output[key] = row[Place::of(key)]; });
}

}  // namespace dropmd

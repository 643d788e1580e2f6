#pragma once

#include "sort/size_class.h"
#include "sort/sort_elements.cuh"

namespace dropmd {

/// Largest number of warps of a block: the stages of 8-byte elements then fit in what every GPU has (64 KiB).
template <class Elements>
inline constexpr int kBlockWarps = sizeof(typename Elements::Element) == 4 ? 8 : 4;

/// Shared memory of one warp, in which the sorted keys of M·2^LogLanes-key segments are rearranged from M consecutive
/// keys per lane to consecutive keys in consecutive lanes. Every address is a register of the lane plus a constant:
/// lane l of a segment's group writes at l·M + gap·(l/kRows), and a chunk of kStoreLanes keys, which never crosses a
/// gap, is read at once. Gap and stride of segments are those with the fewest bank conflicts.
template <int M, int LogLanes>
struct WarpStage {
  static constexpr int kLanes = 1 << LogLanes;
  static constexpr int kSlots = kWarp / kLanes;
  static constexpr int kCapacity = M * kLanes;
  /// Lanes that write one segment to memory together: 8 keys of 4 bytes fill a sector.
  static constexpr int kStoreLanes = kLanes < 8 ? 8 : kLanes;
  static constexpr int kChunks = (kCapacity + kStoreLanes - 1) / kStoreLanes;
  /// Runs between two gaps.
  static constexpr int kRows = [] {
    int rows = 1;
    while (rows < kLanes && rows * M % kStoreLanes != 0) rows *= 2;
    return rows;
  }();

  struct Layout {
    int gap;
    int stride;
  };

  static __host__ __device__ constexpr int place(Layout layout, int slot, int key) {
    return slot * layout.stride + key + layout.gap * (key / (kRows * M));
  }

  /// Returns the largest number of lanes that share a bank when every lane writes key i of its run, or reads key c of a
  /// chunk.
  static constexpr int conflicts(Layout layout) {
    int write[kWarp] = {};
    int read[kWarp] = {};
    int most = 0;
    for (int lane = 0; lane < kWarp; ++lane) {
      const int w = ++write[place(layout, lane / kLanes, lane % kLanes * M) % kWarp];
      const int r = ++read[place(layout, lane / kStoreLanes, lane % kStoreLanes) % kWarp];
      most = most > 2 * w + r ? most : 2 * w + r;
    }
    return most;
  }

  static constexpr Layout kLayout = [] {
    Layout best{0, kCapacity};
    for (int gap = 0; gap < (kLanes > kRows ? 16 : 1); ++gap)
      for (int pad = 0; pad < 16; ++pad) {
        const Layout layout{gap, kCapacity + gap * ((kLanes - 1) / kRows) + pad};
        if (conflicts(layout) < conflicts(best)) best = layout;
      }
    return best;
  }();

  static constexpr int kSize = kLayout.stride * kSlots + kStoreLanes;
};

/// Uses the key at i·step + first (first < step) if it is below `length`, which is 0 or at least Shortest: keys below
/// Shortest need no separate comparison.
template <int Shortest, class Use>
__device__ inline void if_below(int length, int i, int step, int first, const Use& use) {
  if (i * step + step <= Shortest) {
    if (length > 0) use();
  } else if (i * step < length - first) {
    use();
  }
}

/// Lane `first` of a group takes the keys first + i·2^LogLanes of its segment.
template <int M, int LogLanes, int Shortest, class Elements>
__device__ inline void load_segment(const Elements& elements, const GroupSegment& segment, int lane,
                                    typename Elements::Element (&key)[M]) {
  using Stage = WarpStage<M, LogLanes>;
  const int first = lane % Stage::kLanes;
#pragma unroll
  for (int i = 0; i < M; ++i) {
    const int offset = i * Stage::kLanes;
    key[i] = ~typename Elements::Element{0};
    if_below<Shortest>(segment.length, i, Stage::kLanes, first,
                       [&] { key[i] = elements.load(segment.begin + first, offset, first + offset); });
  }
}

/// Writes the warp's sorted segments from its stage, as many at once as there are groups of kStoreLanes.
template <int M, int LogLanes, int Shortest, class Elements>
__device__ inline void store_segments(const Elements& elements, const GroupSegment& mine, int lane,
                                      const typename Elements::Element* stage) {
  using Stage = WarpStage<M, LogLanes>;
  constexpr int kAtOnce = kWarp / Stage::kStoreLanes;
  const int first = lane % Stage::kStoreLanes;
  const int group = lane / Stage::kStoreLanes;
#pragma unroll(Stage::kSlots > 2 * kAtOnce ? 1 : 2)
  for (int slot = 0; slot < Stage::kSlots; slot += kAtOnce) {
    int begin = mine.begin;
    int length = mine.length;
    if constexpr (Stage::kLanes < Stage::kStoreLanes) {
      begin = __shfl_sync(kWholeWarp, mine.begin, (slot + group) << LogLanes);
      length = __shfl_sync(kWholeWarp, mine.length, (slot + group) << LogLanes);
    }
    const auto* row = stage + (slot + group) * Stage::kLayout.stride + first;
#pragma unroll
    for (int chunk = 0; chunk < Stage::kChunks; ++chunk) {
      const int offset = chunk * Stage::kStoreLanes;
      if_below<Shortest>(length, chunk, Stage::kStoreLanes, first, [&] {
        elements.store(row[Stage::place(Stage::kLayout, 0, offset)], begin + first, offset, begin);
      });
    }
  }
}

/// Shortest segment of the size class of M·2^LogLanes keys.
template <int M, int LogLanes>
inline constexpr int kClassShortest = size_class_shortest(size_class_of(M << LogLanes));

/// Sorts the segments of one warp: each group of 2^LogLanes lanes sorts one, of Shortest to M·2^LogLanes keys, or none.
template <int M, int LogLanes, int Shortest = kClassShortest<M, LogLanes>, class Elements>
__device__ inline void sort_warp(const Elements& elements, const GroupSegment& segment, int lane,
                                 typename Elements::Element* stage) {
  using Stage = WarpStage<M, LogLanes>;
  typename Elements::Element key[M];
  load_segment<M, LogLanes, Shortest>(elements, segment, lane, key);
  elements.prepare(key, segment, LogLanes, lane);
  sort_lane_group(key, LogLanes, lane);
  auto* run = stage + Stage::place(Stage::kLayout, lane / Stage::kLanes, lane % Stage::kLanes * M);
  __syncwarp();  // the last reads of the stage are done
#pragma unroll
  for (int i = 0; i < M; ++i) run[i] = key[i];
  __syncwarp();
  store_segments<M, LogLanes, Shortest>(elements, segment, lane, stage);
}

}  // namespace dropmd

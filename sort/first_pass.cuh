#pragma once

#include <algorithm>
#include <cstddef>

#include "sort/class_lists.cuh"
#include "sort/segment_sort.cuh"
#include "sort/warp_sort.cuh"

/// First pass over ragged segments: every block takes a run of neighbouring segments, reports the faulty ones, sorts
/// those of up to kMaxFirstPassLength keys and lists the longer ones. Segments are sorted where they are found because
/// neighbours share memory sectors and rows: sorted class by class over the whole array, the same sorts take twice as
/// long.
namespace dropmd {

struct FirstPassTuning {
  static constexpr int kThreads = 256;
  static constexpr int kWarps = kThreads / kWarp;
  static constexpr int kBlocksPerSm = 4;  ///< that the registers must allow
  static constexpr int kPerThread = 4;
  static constexpr int kMaxRun = kThreads * kPerThread;  ///< segments a block
  static constexpr int kRunKeys = 8 * 1024;              ///< keys wanted a block
  static constexpr int kPrefetchKeys = 2 * kRunKeys;
};

/// Classes of this pass; few, since each leaves a block an incomplete task: up to 8, 16, 24, 32, 64, 96, 128 keys.
inline constexpr int kFirstPassClasses = 7;
DROPMD_HOST_DEVICE constexpr SizeClass first_pass_class(int index) {
  if (index == 0) return {8, 0};
  return index < 4 ? SizeClass{4 * (index + 1), 1} : SizeClass{4 * (index - 2), 3};
}
DROPMD_HOST_DEVICE constexpr int first_pass_class_of(int length) {
  return length <= 32 ? (length - 1) / 8 : (length - 1) / 32 + 3;
}
DROPMD_HOST_DEVICE constexpr int first_pass_shortest(int index) {
  return index == 0 ? 1 : first_pass_class(index - 1).capacity() + 1;
}

/// Groups of segments that a block counts: its classes, then the lists.
inline constexpr int kFirstPassGroups = kFirstPassClasses + ClassListsView::kLists;

/// A block's segments.
struct RunSegments {
  int count[kFirstPassGroups];
  int first[kFirstPassGroups];  ///< of a class in the arrays below; of a list's part in the list
  int begin[FirstPassTuning::kMaxRun];
  unsigned short index[FirstPassTuning::kMaxRun];  ///< within the run
  unsigned char length[FirstPassTuning::kMaxRun];
};

/// A run of neighbouring segments.
struct SegmentRun {
  int first;
  int count;
};

/// The keys of the run, so that its warps find them in the cache; of a long run, the first ones.
template <class Elements>
__device__ inline void prefetch_run(const Elements& elements, const Segments& segments, SegmentRun run) {
  const int begin = min(max(segments[run.first].begin, 0), segments.n_keys);
  const int end = min(segments[run.first + run.count - 1].end, segments.n_keys);
  const int n = min(max(end, begin) - begin, FirstPassTuning::kPrefetchKeys);
  for (int key = static_cast<int>(threadIdx.x) * kLineKeys; key < n; key += FirstPassTuning::kThreads * kLineKeys)
    prefetch_line(elements.input(begin + key));
}

/// The group of a segment, or -1: it is empty, or faulty and reported.
template <class Elements>
__device__ inline int group_of(const Elements& elements, SegmentRange range, const Segments& segments,
                               const FirstPassRules& rules, int index) {
  SegmentFault fault = fault_of(range, segments.n_keys, rules.max_length);
  if (fault == SegmentFault::too_long) fault = rules.too_long;
  if (fault != SegmentFault::none) {
    rules.errors.report(static_cast<std::uint8_t>(fault), index);
    return -1;
  }
  const int length = range.length();
  if (length > kMaxFirstPassLength) return kFirstPassClasses + list_of(length);
  if (length > 0) return first_pass_class_of(length);
  elements.note_empty(index);
  return -1;
}

/// Place of this lane's segment among the block's of its group; one atomic operation a warp and group.
__device__ inline int place_in_group(int group, int lane, int* counts) {
  const unsigned same = __match_any_sync(kWholeWarp, group);
  const int leader = __ffs(static_cast<int>(same)) - 1;
  int first = 0;
  if (lane == leader && group >= 0) first = atomicAdd(&counts[group], __popc(same));
  first = __shfl_sync(kWholeWarp, first, leader);
  return first + __popc(same & ((1U << lane) - 1));
}

template <class Elements>
__device__ inline void group_segments(const Elements& elements, const Segments& segments, const FirstPassRules& rules,
                                      SegmentRun run, RunSegments& block) {
  using Tuning = FirstPassTuning;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < kFirstPassGroups) block.count[thread] = 0;
  __syncthreads();
  SegmentRange range[Tuning::kPerThread];
  int group[Tuning::kPerThread];
  int place[Tuning::kPerThread];
#pragma unroll
  for (int i = 0; i < Tuning::kPerThread; ++i) {
    const int in_run = i * Tuning::kThreads + thread;
    range[i] = in_run < run.count ? segments[run.first + in_run] : SegmentRange{0, 0};
  }
#pragma unroll
  for (int i = 0; i < Tuning::kPerThread; ++i) {
    group[i] = -1;
    if (i * Tuning::kThreads >= run.count) continue;
    const int in_run = i * Tuning::kThreads + thread;
    if (in_run < run.count) group[i] = group_of(elements, range[i], segments, rules, run.first + in_run);
    place[i] = place_in_group(group[i], thread % kWarp, block.count);
  }
  __syncthreads();
  if (thread < kFirstPassClasses) {
    int first = 0;
    for (int smaller = 0; smaller < thread; ++smaller) first += block.count[smaller];
    block.first[thread] = first;
  } else if (thread < kFirstPassGroups && block.count[thread] > 0) {
    block.first[thread] = atomicAdd(&rules.lists.counts[thread - kFirstPassClasses], block.count[thread]);
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < Tuning::kPerThread; ++i) {
    if (group[i] < 0) continue;
    const int at = block.first[group[i]] + place[i];
    const int in_run = i * Tuning::kThreads + thread;
    const int list = group[i] - kFirstPassClasses;
    if (list < 0) {
      block.begin[at] = range[i].begin;
      block.index[at] = static_cast<unsigned short>(in_run);
      block.length[at] = static_cast<unsigned char>(range[i].length());
    } else if (at < rules.lists.capacity[list]) {
      rules.lists.segments(list)[at] = {run.first + in_run, range[i].begin, range[i].length(), 0};
    }
  }
  __syncthreads();
}

constexpr int first_pass_stage_size() {
  int most = 0;
  for (int index = 0; index < kFirstPassClasses; ++index)
    with_constant<kFirstPassClasses>(index, [&]<int I>() {
      constexpr SizeClass kClass = first_pass_class(I);
      most = std::max(most, WarpStage<kClass.keys_per_lane, kClass.log_lanes>::kSize);
    });
  return most;
}

/// A block sorts segments_per_block neighbouring segments.
template <class Elements>
__global__ void __launch_bounds__(FirstPassTuning::kThreads, FirstPassTuning::kBlocksPerSm)
    first_pass_kernel(Elements elements, Segments segments, FirstPassRules rules, int segments_per_block) {
  __shared__ RunSegments block;
  __shared__ typename Elements::Element stages[FirstPassTuning::kWarps][first_pass_stage_size()];
  const int first = static_cast<int>(blockIdx.x) * segments_per_block;
  const SegmentRun run{first, min(segments_per_block, segments.count - first)};
  prefetch_run(elements, segments, run);
  group_segments(elements, segments, rules, run, block);

  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  int task = warp;
#pragma unroll 1
  for (int index = kFirstPassClasses - 1; index >= 0; --index) {
    with_constant<kFirstPassClasses>(index, [&]<int I>() {
      constexpr SizeClass kClass = first_pass_class(I);
      constexpr int kSlots = kClass.segments_per_warp();
      const int n_tasks = (block.count[I] + kSlots - 1) / kSlots;
      for (; task < n_tasks; task += FirstPassTuning::kWarps) {
        const int place = task * kSlots + (lane >> kClass.log_lanes);
        GroupSegment segment;
        if (place < block.count[I]) {
          const int at = block.first[I] + place;
          segment = {run.first + block.index[at], block.begin[at], block.length[at]};
        }
        sort_warp<kClass.keys_per_lane, kClass.log_lanes, first_pass_shortest(I)>(elements, segment, lane,
                                                                                  stages[warp]);
      }
      task -= n_tasks;  // the next class goes on with the next warp
    });
  }
}

/// Segments of one block: about kRunKeys keys, but so few that a small job reaches every multiprocessor.
inline int run_length(const Segments& segments, int multiprocessors) {
  using Tuning = FirstPassTuning;
  const double mean = std::max(1.0, static_cast<double>(segments.n_keys) / segments.count);
  const int by_keys = std::clamp(static_cast<int>(Tuning::kRunKeys / mean), kWarp, Tuning::kMaxRun);
  const int by_blocks = segments.count / (multiprocessors * Tuning::kBlocksPerSm) + 1;
  return std::min(by_keys, std::max(by_blocks, Tuning::kWarps));
}

template <class Elements>
void launch_first_pass(const Cuda& cuda, const Elements& elements, const Segments& segments,
                       const FirstPassRules& rules, int multiprocessors) {
  const int per_block = run_length(segments, multiprocessors);
  first_pass_kernel<<<(segments.count - 1) / per_block + 1, FirstPassTuning::kThreads, 0, cuda.get()>>>(
      elements, segments, rules, per_block);
  DROPMD_CUDA_LAUNCHED("sorting ragged segments");
}

}  // namespace dropmd

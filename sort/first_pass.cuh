#pragma once

#include <algorithm>
#include <cstddef>

#include "sort/class_lists.cuh"
#include "sort/segment_sort.cuh"
#include "sort/staged_sort.cuh"

/// First pass over ragged segments: each block processes a run of neighbouring segments, reports faulty ones, sorts
/// those of up to kMaxFirstPassLength keys and lists the longer ones. Segments are sorted where they are found because
/// neighbours share memory sectors and rows: if the whole array were sorted class by class, the same sorts would take
/// twice as long.
namespace dropmd {

/// Sizes of the first pass.
struct FirstPassTuning {
  static constexpr int kThreads = 256;
  static constexpr int kWarps = kThreads / kWarp;
  static constexpr int kBlocksPerSm = 4;  ///< which the registers must allow
  static constexpr int kPerThread = 4;
  static constexpr int kMaxRun = kThreads * kPerThread;  ///< segments per block
  static constexpr int kRunKeys = 8 * 1024;              ///< wanted number of keys per block
  static constexpr int kPrefetchKeys = 2 * kRunKeys;
  static constexpr int kStageKeys = 10 * 1024;  ///< a run with this many keys fits in shared memory,
  static constexpr int kMaxStagedMean = 31;     ///< where it is faster up to this mean length
};

/// Prefetches the cache line of an address.
__device__ inline void prefetch_line(const void* address) { asm volatile("prefetch.global.L2 [%0];" ::"l"(address)); }
/// Number of 4-byte keys in a cache line.
inline constexpr int kLineKeys = 32;

/// Classes of this pass: up to 8, 16, 24, 32, 64, 96, 128 keys. They are few, since each leaves a block with an
/// incomplete task.
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

/// Number of groups of segments that a block counts: its classes, then the lists.
inline constexpr int kFirstPassGroups = kFirstPassClasses + ClassListsView::kLists;

/// The segments of a block.
struct RunSegments {
  int count[kFirstPassGroups];
  int first[kFirstPassGroups];  ///< of a class: in the arrays below; of a list: in that list
  int begin[FirstPassTuning::kMaxRun];
  unsigned short index[FirstPassTuning::kMaxRun];  ///< relative to the run
  unsigned char length[FirstPassTuning::kMaxRun];
};

/// A run of neighbouring segments.
struct SegmentRun {
  int first;
  int count;
};

/// Returns the keys of a run: from the beginning of the first segment to the end of the last one, within the array.
__device__ inline SegmentRange keys_of(const Segments& segments, SegmentRun run) {
  const int begin = min(max(segments[run.first].begin, 0), segments.n_keys);
  const int end = min(segments[run.first + run.count - 1].end, segments.n_keys);
  return {begin, max(begin, end)};
}

/// Prefetches the keys of the run, or the first ones of a long run, so that its warps find them in the cache.
template <class Elements>
__device__ inline void prefetch_run(const Elements& elements, SegmentRange keys) {
  const int n = min(keys.length(), FirstPassTuning::kPrefetchKeys);
  for (int key = static_cast<int>(threadIdx.x) * kLineKeys; key < n; key += FirstPassTuning::kThreads * kLineKeys)
    prefetch_line(elements.input(keys.begin + key));
}

/// Values that are not groups.
inline constexpr int kEmpty = -1;
inline constexpr int kFaulty = -2;

/// Returns the group of a segment; reports a faulty one.
template <class Elements>
__device__ inline int group_of(const Elements& elements, SegmentRange range, const Segments& segments,
                               const FirstPassRules& rules, int index) {
  SegmentFault fault = fault_of(range, segments.n_keys, rules.max_length);
  if (fault == SegmentFault::too_long) fault = rules.too_long;
  if (fault != SegmentFault::none) {
    rules.errors.report(static_cast<std::uint8_t>(fault), index);
    return kFaulty;
  }
  const int length = range.length();
  if (length > kMaxFirstPassLength) return kFirstPassClasses + list_of(length);
  if (length > 0) return first_pass_class_of(length);
  elements.note_empty(index);
  return kEmpty;
}

/// Returns the index of this lane's segment among the block's segments of its group, with one atomic operation per warp
/// and group.
__device__ inline int place_in_group(int group, int lane, int* counts) {
  const unsigned same = __match_any_sync(kWholeWarp, group);
  const int leader = __ffs(static_cast<int>(same)) - 1;
  int first = 0;
  if (lane == leader && group >= 0) first = atomicAdd(&counts[group], __popc(same));
  first = __shfl_sync(kWholeWarp, first, leader);
  return first + __popc(same & ((1U << lane) - 1));
}

/// Fills `block` and the lists; returns whether a segment of this thread is faulty.
template <class Elements>
__device__ inline bool group_segments(const Elements& elements, const Segments& segments, const FirstPassRules& rules,
                                      SegmentRun run, RunSegments& block) {
  using Tuning = FirstPassTuning;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < kFirstPassGroups) block.count[thread] = 0;
  __syncthreads();
  SegmentRange range[Tuning::kPerThread];
  int group[Tuning::kPerThread];
  int place[Tuning::kPerThread];
  bool faulty = false;
#pragma unroll
  for (int i = 0; i < Tuning::kPerThread; ++i) {
    const int in_run = i * Tuning::kThreads + thread;
    range[i] = in_run < run.count ? segments[run.first + in_run] : SegmentRange{0, 0};
  }
#pragma unroll
  for (int i = 0; i < Tuning::kPerThread; ++i) {
    group[i] = kEmpty;
    if (i * Tuning::kThreads >= run.count) continue;
    const int in_run = i * Tuning::kThreads + thread;
    if (in_run < run.count) group[i] = group_of(elements, range[i], segments, rules, run.first + in_run);
    faulty = faulty || group[i] == kFaulty;
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
  return faulty;
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

/// Starts to copy the run's keys to shared memory.
template <class Elements>
__device__ inline void stage_run(const Elements& elements, SegmentRange keys, PackedWord* stage) {
  const PackedWord* const input = elements.input(keys.begin);
#pragma unroll 8
  for (int key = static_cast<int>(threadIdx.x); key < keys.length(); key += FirstPassTuning::kThreads)
    stage_key(input + key, stage + key);
}

/// Writes the sorted words of a run from the stage to the output.
template <class Elements>
__device__ inline void store_run(const Elements& elements, SegmentRange keys, const PackedWord* stage) {
  PackedWord* const output = elements.output(keys.begin);
#pragma unroll 8
  for (int key = static_cast<int>(threadIdx.x); key < keys.length(); key += FirstPassTuning::kThreads)
    output[key] = stage[key];
}

/// Calls use.template operator()<class>(segment) for as many segments at a time as a warp sorts of that class, until
/// all of the block's segments are sorted.
template <class Use>
__device__ inline void for_each_task(const RunSegments& block, SegmentRun run, int warp, int lane, const Use& use) {
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
        use.template operator()<I>(segment);
      }
      task -= n_tasks;  // the next class continues with the next warp
    });
  }
}

/// Shared memory for the keys of a block.
template <class Elements>
constexpr int first_pass_stage_keys() {
  const int warps = FirstPassTuning::kWarps * first_pass_stage_size();
  return Elements::kStageable ? std::max(warps, FirstPassTuning::kStageKeys) : warps;
}

/// Sorts segments_per_block neighbouring segments per block. `staged`: in shared memory, if all are valid and their
/// keys fit.
template <class Elements>
__global__ void __launch_bounds__(FirstPassTuning::kThreads, FirstPassTuning::kBlocksPerSm)
    first_pass_kernel(Elements elements, Segments segments, FirstPassRules rules, int segments_per_block, bool staged) {
  __shared__ RunSegments block;
  extern __shared__ __align__(8) unsigned char shared[];
  auto* stage = reinterpret_cast<typename Elements::Element*>(shared);
  const int thread = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.x) * segments_per_block;
  const SegmentRun run{first, min(segments_per_block, segments.count - first)};
  const SegmentRange keys = keys_of(segments, run);
  if constexpr (Elements::kStageable) {
    staged = staged && keys.length() <= min(FirstPassTuning::kStageKeys, run.count * FirstPassTuning::kMaxStagedMean);
    if (staged) stage_run(elements, keys, stage);
  }
  if (!staged) prefetch_run(elements, keys);
  const bool faulty = group_segments(elements, segments, rules, run, block);

  const int warp = thread / kWarp;
  const int lane = thread % kWarp;
  if constexpr (Elements::kStageable) {
    wait_for_stage();
    if (!__syncthreads_or(faulty) && staged) {
      for_each_task(block, run, warp, lane, [&]<int I>(const GroupSegment& segment) {
        constexpr SizeClass kClass = first_pass_class(I);
        sort_in_stage<kClass.keys_per_lane, kClass.log_lanes, first_pass_shortest(I)>(
            elements, segment, segment.begin - keys.begin, lane, stage);
      });
      __syncthreads();
      store_run(elements, keys, stage);
      return;
    }
  }
  for_each_task(block, run, warp, lane, [&]<int I>(const GroupSegment& segment) {
    constexpr SizeClass kClass = first_pass_class(I);
    sort_warp<kClass.keys_per_lane, kClass.log_lanes, first_pass_shortest(I)>(elements, segment, lane,
                                                                              stage + warp * first_pass_stage_size());
  });
}

/// Returns the number of segments per block: about kRunKeys keys, but few enough that a small job uses every
/// multiprocessor.
inline int run_length(const Segments& segments, int multiprocessors) {
  using Tuning = FirstPassTuning;
  const double mean = std::max(1.0, static_cast<double>(segments.n_keys) / segments.count);
  const int by_keys = std::clamp(static_cast<int>(Tuning::kRunKeys / mean), kWarp, Tuning::kMaxRun);
  const int by_blocks = segments.count / (multiprocessors * Tuning::kBlocksPerSm) + 1;
  return std::min(by_keys, std::max(by_blocks, Tuning::kWarps));
}

/// Launches the first pass over ragged segments.
template <class Elements>
void launch_first_pass(const Cuda& cuda, const Elements& elements, const Segments& segments,
                       const FirstPassRules& rules, int multiprocessors) {
  const int per_block = run_length(segments, multiprocessors);
  constexpr std::size_t kBytes = sizeof(typename Elements::Element) * first_pass_stage_keys<Elements>();
  DROPMD_CUDA(cudaFuncSetAttribute(first_pass_kernel<Elements>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(kBytes)),
              "preparing the sort of ragged segments");
  first_pass_kernel<<<(segments.count - 1) / per_block + 1, FirstPassTuning::kThreads, kBytes, cuda.get()>>>(
      elements, segments, rules, per_block, elements.staged());
  DROPMD_CUDA_LAUNCHED("sorting ragged segments");
}

}  // namespace dropmd

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "sort/class_lists.cuh"
#include "sort/first_pass.cuh"
#include "sort/large_segments.cuh"
#include "sort/segment_sort.cuh"
#include "sort/warp_sort.cuh"

/// The kernels of the production sort, and the choice among them. Every kind of sort instantiates them in its own file.
namespace dropmd {

/// Returns the bytes of a warp's stage in shared memory.
template <class Elements, int M, int LogLanes>
constexpr std::size_t stage_bytes() {
  return sizeof(typename Elements::Element) * static_cast<std::size_t>(WarpStage<M, LogLanes>::kSize);
}

/// Sorts segments of one length: warp w sorts segments [w·slots, (w + 1)·slots), slots = 32/2^LogLanes.
template <int M, int LogLanes, class Elements>
__global__ void __launch_bounds__(kBlockWarps<Elements>* kWarp)
    sort_uniform_kernel(Elements elements, Segments segments) {
  extern __shared__ __align__(8) unsigned char stages[];
  using Stage = WarpStage<M, LogLanes>;
  const int warp_in_block = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(blockIdx.x * (blockDim.x / kWarp)) + warp_in_block;
  const int index = warp * Stage::kSlots + lane / Stage::kLanes;
  GroupSegment segment;
  if (index < segments.count) segment = {index, index * segments.length, segments.length};
  sort_warp<M, LogLanes>(elements, segment, lane,
                         reinterpret_cast<typename Elements::Element*>(stages) + warp_in_block * Stage::kSize);
}

/// Blocks of the listed kernel that a multiprocessor's registers must allow.
template <class Elements>
constexpr int listed_blocks_per_sm() {
  return sizeof(typename Elements::Element) == 4 ? 3 : 4;
}

/// Returns the largest stage of the listed classes, in bytes per warp.
template <class Elements>
constexpr std::size_t listed_stage_bytes() {
  std::size_t most = 0;
  for (int index = ClassListsView::kFirstClass; index < kSizeClasses; ++index)
    with_size_class(index, [&]<int M, int LogLanes>() { most = std::max(most, stage_bytes<Elements, M, LogLanes>()); });
  return most;
}

/// The tasks of the warps of the grid: a task is as many segments of one class as a warp sorts at once. Long classes
/// come first, and the warps take tasks in turn, so that at any time most of them run the same code.
struct ListedTasks {
  static constexpr int kClasses = kSizeClasses - ClassListsView::kFirstClass;

  /// First task of the entry-th class, longest segments first; after the classes: the number of tasks.
  int first_task[kWarp];
  int n_segments[kWarp];

  static __device__ int class_of(int entry) { return kSizeClasses - 1 - entry; }

  /// All lanes of one warp must call it.
  __device__ void fill(const ClassListsView& lists, int lane) {
    const int n = lane < kClasses ? lists.size(class_of(lane) - ClassListsView::kFirstClass) : 0;
    const int slots = lane < kClasses ? size_class(class_of(lane)).segments_per_warp() : 1;
    const int n_tasks = (n + slots - 1) / slots;
    int to_here = n_tasks;
    for (int step = 1; step < kWarp; step *= 2) {
      const int before = __shfl_up_sync(kWholeWarp, to_here, step);
      if (lane >= step) to_here += before;
    }
    n_segments[lane] = n;
    first_task[lane] = to_here - n_tasks;
  }

  __device__ int count() const { return first_task[kWarp - 1]; }

  /// The class of a task and this lane's segment of it, or none.
  struct Task {
    int size_class;
    GroupSegment segment;
  };
  __device__ Task get(const ClassListsView& lists, int task, int lane) const {
    const int entry = kWarp - 1 - __clz(static_cast<int>(__ballot_sync(kWholeWarp, first_task[lane] <= task)));
    const int index = class_of(entry);
    const int log_lanes = size_class(index).log_lanes;
    const int place = ((task - first_task[entry]) << (5 - log_lanes)) + (lane >> log_lanes);
    if (place >= n_segments[entry]) return {index, {}};
    const ListedSegment listed = lists.segments(index - ClassListsView::kFirstClass)[place];
    return {index, {listed.index, listed.begin, listed.length}};
  }
};

template <class Elements>
__global__ void __launch_bounds__(kBlockWarps<Elements>* kWarp, listed_blocks_per_sm<Elements>())
    sort_listed_kernel(Elements elements, ClassListsView lists) {
  extern __shared__ __align__(8) unsigned char stages[];
  __shared__ ListedTasks tasks;
  const int warp_in_block = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if (warp_in_block == 0) tasks.fill(lists, lane);
  __syncthreads();
  auto* stage = reinterpret_cast<typename Elements::Element*>(stages + warp_in_block * listed_stage_bytes<Elements>());
  const int n_warps = static_cast<int>(gridDim.x) * kBlockWarps<Elements>;
  const int n_tasks = tasks.count();
  for (int task = static_cast<int>(blockIdx.x) * kBlockWarps<Elements> + warp_in_block; task < n_tasks;
       task += n_warps) {
    const auto now = tasks.get(lists, task, lane);
    with_size_class<ClassListsView::kFirstClass, ListedTasks::kClasses>(
        now.size_class, [&]<int M, int LogLanes>() { sort_warp<M, LogLanes>(elements, now.segment, lane, stage); });
  }
}

/// The size of a grid.
struct UniformShape {
  int blocks;
  int warps;  ///< per block
};

/// Returns the launch shape for warps that sort `slots` segments each: a small job uses every multiprocessor.
template <class Elements>
UniformShape uniform_shape(int n_segments, int slots, int multiprocessors) {
  const int n_warps = (n_segments - 1) / slots + 1;
  const int warps = std::clamp(n_warps / multiprocessors, 1, kBlockWarps<Elements>);
  return {(n_warps - 1) / warps + 1, warps};
}

/// Sorts segments of one length, without stages.
template <class Elements>
void launch_uniform(const Cuda& cuda, const Elements& elements, const Segments& segments, int multiprocessors) {
  with_size_class(size_class_of(segments.length), [&]<int M, int LogLanes>() {
    constexpr std::size_t kBytes = stage_bytes<Elements, M, LogLanes>();
    const UniformShape shape = uniform_shape<Elements>(segments.count, kWarp >> LogLanes, multiprocessors);
    DROPMD_CUDA(
        cudaFuncSetAttribute(sort_uniform_kernel<M, LogLanes, Elements>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(kBytes * kBlockWarps<Elements>)),
        "preparing the sort of segments of one length");
    sort_uniform_kernel<M, LogLanes>
        <<<shape.blocks, shape.warps * kWarp, kBytes* static_cast<std::size_t>(shape.warps), cuda.get()>>>(elements,
                                                                                                           segments);
  });
  DROPMD_CUDA_LAUNCHED("sorting segments of one length");
}

/// Longest length of uniform segments that are sorted in stages; longer ones are faster without (docs/sort.md).
inline constexpr int kMaxStagedLength = 64;

/// Sorts segments of one length, at most kMaxStagedLength, in stages.
template <class Elements>
void launch_staged(const Cuda& cuda, const Elements& elements, const Segments& segments, int multiprocessors) {
  with_size_class<0, size_class_of(kMaxStagedLength) + 1>(size_class_of(segments.length), [&]<int M, int LogLanes>() {
    const UniformShape shape = uniform_shape<Elements>(segments.count, kWarp >> LogLanes, multiprocessors);
    constexpr int kCapacity = M << LogLanes;
    auto kernel = sort_staged_kernel<M, LogLanes, false, Elements>;
    // Gaps help if segments begin in the same bank: for lengths of a power of two, which fill their class.
    if constexpr (kCapacity >= 8 && std::has_single_bit(static_cast<unsigned>(kCapacity)))
      if (segments.length == kCapacity) kernel = sort_staged_kernel<M, LogLanes, true, Elements>;
    kernel<<<shape.blocks, shape.warps * kWarp, 0, cuda.get()>>>(elements, segments);
  });
  DROPMD_CUDA_LAUNCHED("sorting segments of one length");
}

/// Sorts the segments that the first pass has listed by class.
template <class Elements>
void launch_listed(const Cuda& cuda, const Elements& elements, const Segments& segments, const ClassListsView& lists,
                   int multiprocessors) {
  constexpr std::size_t kBytes = kBlockWarps<Elements> * listed_stage_bytes<Elements>();
  DROPMD_CUDA(cudaFuncSetAttribute(sort_listed_kernel<Elements>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(kBytes)),
              "preparing the sort of listed segments");
  // Not more warps than the keys have tasks for.
  const int most_tasks = segments.n_keys / (kMaxFirstPassLength + 1) + ListedTasks::kClasses;
  const int blocks =
      std::min(multiprocessors * listed_blocks_per_sm<Elements>(), most_tasks / kBlockWarps<Elements> + 1);
  sort_listed_kernel<<<blocks, kBlockWarps<Elements> * kWarp, kBytes, cuda.get()>>>(elements, lists);
  DROPMD_CUDA_LAUNCHED("sorting listed segments");
}

/// Performs a sort of any kind.
template <class Elements>
void sort_on_device(const Cuda& cuda, const Segments& segments, const Elements& elements, SortWorkspace& workspace) {
  workspace.require(segments);
  if (segments.count == 0) return;
  const int longest = std::min(workspace.limits().max_length, Elements::kLongest);
  const int multiprocessors = workspace.multiprocessors();
  if (segments.offsets == nullptr && segments.length > 0 && segments.length <= std::min(kMaxRegisterLength, longest)) {
    if constexpr (Elements::kStageable) {
      if (elements.staged() && segments.length <= kMaxStagedLength) {
        launch_staged(cuda, elements, segments, multiprocessors);
        return;
      }
    }
    launch_uniform(cuda, elements, segments, multiprocessors);
    return;
  }
  const FirstPassRules rules = workspace.first_pass(cuda, Elements::kLongest);
  launch_first_pass(cuda, elements, segments, rules, multiprocessors);
  if (longest > kMaxFirstPassLength) launch_listed(cuda, elements, segments, rules.lists, multiprocessors);
  if (longest > kMaxRegisterLength) sort_large_segments(cuda, elements, segments, rules.lists, workspace);
}

}  // namespace dropmd

#pragma once

#include <cub/block/block_reduce.cuh>

#include "sort/segment_sort.cuh"
#include "sort/sort_elements.cuh"

/// Segments of more than kMaxRegisterLength keys: their elements are written to the workspace, sorted there by
/// cub::DeviceSegmentedRadixSort, and written to the outputs. Only the device knows their number: the list has capacity
/// for as many as the keys allow, and empty entries cost CUB little.
namespace dropmd {

struct LargeSegmentsTuning {
  static constexpr int kThreads = 256;
  static constexpr int kBlocksPerSm = 4;
};

/// Calls use(segment) for this block's share of the large segments.
template <class Use>
__device__ inline void for_large_segments(const ClassListsView& lists, const Use& use) {
  const int n = lists.size(ClassListsView::kLarge);
  for (int i = static_cast<int>(blockIdx.x); i < n; i += static_cast<int>(gridDim.x)) {
    const ListedSegment listed = lists.segments(ClassListsView::kLarge)[i];
    use(GroupSegment{listed.index, listed.begin, listed.length});
  }
}

/// Writes the whole list for CUB, including empty entries.
__device__ inline void write_offsets(const ClassListsView& lists, const LargeSegmentsView& large) {
  const int n = lists.size(ClassListsView::kLarge);
  const int stride = static_cast<int>(gridDim.x) * LargeSegmentsTuning::kThreads;
  for (int i = static_cast<int>(blockIdx.x) * LargeSegmentsTuning::kThreads + static_cast<int>(threadIdx.x);
       i < large.capacity; i += stride) {
    const ListedSegment listed = i < n ? lists.segments(ClassListsView::kLarge)[i] : ListedSegment{};
    large.begin[i] = listed.begin;
    large.end[i] = listed.begin + listed.length;
  }
}

/// Writes the elements of one segment. All threads of a block must call it.
template <class Elements>
__device__ inline void write_elements(const Elements& elements, const GroupSegment& segment,
                                      typename Elements::Element* unsorted) {
  for (int i = static_cast<int>(threadIdx.x); i < segment.length; i += LargeSegmentsTuning::kThreads)
    unsorted[segment.begin + i] = elements.load(segment.begin, i, i);
}

/// Packed reals need the segment's range first.
__device__ inline void write_elements(const PackedElements& elements, const GroupSegment& segment,
                                      PackedWord* unsorted) {
  using Reduce = cub::BlockReduce<float, LargeSegmentsTuning::kThreads>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ FiniteRange shared_range;
  FiniteRange range;
  for (int i = static_cast<int>(threadIdx.x); i < segment.length; i += LargeSegmentsTuning::kThreads)
    range.add(elements.arrays.values[segment.begin + i]);
  range.lowest = Reduce(storage).Reduce(range.lowest, [](float a, float b) { return fminf(a, b); });
  __syncthreads();
  range.highest = Reduce(storage).Reduce(range.highest, [](float a, float b) { return fmaxf(a, b); });
  if (threadIdx.x == 0) {
    shared_range = range;
    if (elements.arrays.quantization != nullptr) elements.arrays.quantization[segment.index] = quantization_of(range);
  }
  __syncthreads();
  const Quantizer quantize(shared_range);
  for (int i = static_cast<int>(threadIdx.x); i < segment.length; i += LargeSegmentsTuning::kThreads)
    unsorted[segment.begin + i] =
        pack_word(quantize(elements.arrays.values[segment.begin + i]), static_cast<std::uint32_t>(i));
  __syncthreads();
}

template <class Elements>
__global__ void __launch_bounds__(LargeSegmentsTuning::kThreads)
    read_large_segments_kernel(Elements elements, ClassListsView lists, LargeSegmentsView large,
                               typename Elements::Element* unsorted) {
  write_offsets(lists, large);
  for_large_segments(lists, [&](const GroupSegment& segment) { write_elements(elements, segment, unsorted); });
}

template <class Elements>
__global__ void __launch_bounds__(LargeSegmentsTuning::kThreads)
    store_large_segments_kernel(Elements elements, ClassListsView lists, const typename Elements::Element* sorted) {
  for_large_segments(lists, [&](const GroupSegment& segment) {
    for (int i = static_cast<int>(threadIdx.x); i < segment.length; i += LargeSegmentsTuning::kThreads)
      elements.store(sorted[segment.begin + i], segment.begin, i, segment.begin);
  });
}

/// Sorts the elements with CUB; with null storage it only sets `bytes` to the size that CUB needs. Element: PackedWord
/// or RealElement. Defined in sort_workspace.cu, so that CUB's kernels are compiled once and not for every kind of
/// sort.
template <class Element>
void cub_sort_large(const Cuda& cuda, const SortWorkspace& workspace, void* storage, std::size_t& bytes, int n_keys);

template <class Elements>
void sort_large_segments(const Cuda& cuda, const Elements& elements, const Segments& segments,
                         const ClassListsView& lists, const SortWorkspace& workspace) {
  using Element = typename Elements::Element;
  const int blocks = workspace.multiprocessors() * LargeSegmentsTuning::kBlocksPerSm;
  read_large_segments_kernel<<<blocks, LargeSegmentsTuning::kThreads, 0, cuda.get()>>>(
      elements, lists, workspace.large_segments(), workspace.unsorted<Element>());
  DROPMD_CUDA_LAUNCHED("reading large segments");
  std::size_t bytes = workspace.cub_storage().size();
  cub_sort_large<Element>(cuda, workspace, workspace.cub_storage().data(), bytes, segments.n_keys);
  store_large_segments_kernel<<<blocks, LargeSegmentsTuning::kThreads, 0, cuda.get()>>>(elements, lists,
                                                                                        workspace.sorted<Element>());
  DROPMD_CUDA_LAUNCHED("writing large segments");
}

}  // namespace dropmd

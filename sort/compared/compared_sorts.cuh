#pragma once

#include <memory>

#include "sort/sort_method.cuh"

/// The sorts with which the production sort is compared, one file each.
namespace dropmd {

/// A kernel for segments of at most `longest` <= kMaxRegisterLength keys. Faulty segments are left unsorted.
using KernelSort = void (*)(const Cuda& cuda, const Segments& segments, int longest, const PackedWord* d_in,
                            PackedWord* d_out);

/// cub::WarpMergeSort, several segments per block.
void sort_cub_warp_merge(const Cuda& cuda, const Segments& segments, int longest, const PackedWord* d_in,
                         PackedWord* d_out);
/// cub::BlockRadixSort, one block per segment.
void sort_cub_block_radix(const Cuda& cuda, const Segments& segments, int longest, const PackedWord* d_in,
                          PackedWord* d_out);
/// K. E. Batcher's networks (1968) in shared memory, one comparator per thread, with which the paper on the rank sort
/// compares its sorts.
void sort_bitonic(const Cuda& cuda, const Segments& segments, int longest, const PackedWord* d_in, PackedWord* d_out);
void sort_odd_even_merge(const Cuda& cuda, const Segments& segments, int longest, const PackedWord* d_in,
                         PackedWord* d_out);
/// The bitonic network in the registers of a warp, one warp per segment.
void sort_register_bitonic(const Cuda& cuda, const Segments& segments, int longest, const PackedWord* d_in,
                           PackedWord* d_out);

/// cub::DeviceSegmentedSort; it reads group sizes back during the sort.
std::unique_ptr<SortMethod> make_cub_segmented_sort(const Cuda& cuda, const SortLimits& limits);
/// cub::DeviceSegmentedRadixSort.
std::unique_ptr<SortMethod> make_cub_segmented_radix_sort(const Cuda& cuda, const SortLimits& limits);

}  // namespace dropmd

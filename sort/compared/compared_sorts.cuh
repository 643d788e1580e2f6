#pragma once

#include <memory>

#include "sort/sort_method.cuh"

/// The sorts that the production sort is compared with, one file each.
namespace dropmd {

/// A kernel for segments of at most `longest` <= kMaxRegisterLength keys. Faulty segments are left alone.
using KernelSort = void (*)(const Cuda& cuda, const Segments& segments, int longest, const PackedWord* d_in,
                            PackedWord* d_out);

/// cub::WarpMergeSort, several segments a block.
void sort_cub_warp_merge(const Cuda& cuda, const Segments& segments, int longest, const PackedWord* d_in,
                         PackedWord* d_out);
/// cub::BlockRadixSort, a block a segment.
void sort_cub_block_radix(const Cuda& cuda, const Segments& segments, int longest, const PackedWord* d_in,
                          PackedWord* d_out);
/// K. E. Batcher's networks (1968) in shared memory, a comparator a thread: what the rank sort's paper compares with.
void sort_bitonic(const Cuda& cuda, const Segments& segments, int longest, const PackedWord* d_in, PackedWord* d_out);
void sort_odd_even_merge(const Cuda& cuda, const Segments& segments, int longest, const PackedWord* d_in,
                         PackedWord* d_out);
/// The bitonic network in the registers of a warp a segment.
void sort_register_bitonic(const Cuda& cuda, const Segments& segments, int longest, const PackedWord* d_in,
                           PackedWord* d_out);

/// cub::DeviceSegmentedSort; it reads group sizes back while it sorts.
std::unique_ptr<SortMethod> make_cub_segmented_sort(const Cuda& cuda, const SortLimits& limits);
/// cub::DeviceSegmentedRadixSort.
std::unique_ptr<SortMethod> make_cub_segmented_radix_sort(const Cuda& cuda, const SortLimits& limits);

}  // namespace dropmd

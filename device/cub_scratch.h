#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// Bounds on the temporary device memory of CUB's algorithms, in bytes, for estimates that are made without a GPU:
/// CUB's own queries need one. The numbers are those of the CUB of CUDA 13 (cub/device/dispatch and its tuning folder),
/// for compute capability 7.5 and newer.
namespace dropmd {

/// More multiprocessors than any device has.
inline constexpr std::uint64_t kMostMultiprocessors = 256;

/// Each temporary array, and the whole, begins at a multiple of 256 bytes; no algorithm here has more than five arrays.
inline constexpr std::uint64_t kCubAlignmentBytes = 6 * 256;

/// Returns the bound for cub::DeviceReduce over any number of items with sums of this size: one sum per block, for five
/// times as many blocks as a device holds at a time. A block has 256 threads, or fewer so that their sums fit in 48 KiB
/// of shared memory, and a multiprocessor holds at most 2,048 threads.
constexpr std::uint64_t reduce_scratch_bytes(std::size_t sum_bytes) {
  constexpr std::uint64_t kSubscription = 5, kMostThreads = 256, kSharedBytes = 48U << 10U, kHeldThreads = 2048;
  const std::uint64_t threads = std::min(kMostThreads, kSharedBytes / sum_bytes / 32 * 32);
  return kSubscription * (kHeldThreads / threads) * kMostMultiprocessors * sum_bytes + kCubAlignmentBytes;
}

/// Returns the bound for cub::DeviceRadixSort::SortPairs between the two buffers of a cub::DoubleBuffer: 256 counters
/// of 4 bytes per block of at least 2,048 elements (the smallest tile has 256 threads with 21 elements of 4 bytes or
/// half as many of 8), and 256 of 8 bytes for each pass over 8 bits of a key of at most 64 bits.
constexpr std::uint64_t sort_scratch_bytes(std::uint64_t n) {
  constexpr std::uint64_t kDigits = 256, kFewestOfBlock = 2048, kPasses = 8;
  return kDigits * sizeof(std::uint32_t) * (n / kFewestOfBlock + 1) + kDigits * kPasses * sizeof(std::uint64_t) +
         kCubAlignmentBytes;
}
/// The same for a sort from one array to another, with element_bytes for each key and its value: CUB then needs a copy
/// of its own, as it must not overwrite its input.
constexpr std::uint64_t copying_sort_scratch_bytes(std::uint64_t n, std::size_t element_bytes) {
  return sort_scratch_bytes(n) + element_bytes * n;
}

/// Returns the bound for cub::DeviceSegmentedRadixSort::SortKeys from one array to another: a copy of all keys. The
/// alignment is not counted.
constexpr std::uint64_t segmented_sort_scratch_bytes(std::uint64_t n_keys, std::size_t key_bytes) {
  return n_keys * key_bytes;
}

}  // namespace dropmd

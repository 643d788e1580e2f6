#pragma once

#include <cstdint>

#include "sort/segments.h"
#include "sort/size_class.h"

namespace dropmd {

/// Segments of at most this many keys are sorted by the block that finds them (first_pass.cuh); longer ones are listed
/// by size class.
inline constexpr int kMaxFirstPassLength = 128;

/// An entry of a list, loaded as 16 bytes.
struct alignas(16) ListedSegment {
  int index;
  int begin;
  int length;
  int unused;
};

/// Ragged segments of more than kMaxFirstPassLength keys by size class, found on the device, in any order (each segment
/// is sorted by itself). One more list after the classes has the segments too long for registers.
struct ClassListsView {
  static constexpr int kFirstClass = size_class_of(kMaxFirstPassLength) + 1;
  static constexpr int kLists = kSizeClasses - kFirstClass + 1;
  static constexpr int kLarge = kLists - 1;

  ListedSegment* entries;
  int* counts;                 ///< [kLists], above the capacity only if segments overlap after a faulty one
  std::int64_t first[kLists];  ///< first entry of each list in `entries`
  int capacity[kLists];

#if defined(__CUDACC__)
  __device__ int size(int list) const { return min(counts[list], capacity[list]); }
  __device__ ListedSegment* segments(int list) const { return entries + first[list]; }
#endif
};

/// Returns the list for a length above kMaxFirstPassLength.
DROPMD_HOST_DEVICE constexpr int list_of(int length) {
  return length > kMaxRegisterLength ? ClassListsView::kLarge : size_class_of(length) - ClassListsView::kFirstClass;
}

/// Returns the shortest length in a list.
constexpr int list_shortest(int list) {
  return list == ClassListsView::kLarge ? kMaxRegisterLength + 1
                                        : size_class_shortest(list + ClassListsView::kFirstClass);
}

}  // namespace dropmd

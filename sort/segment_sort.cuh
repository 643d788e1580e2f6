#pragma once

#include "device/cub_scratch.h"
#include "device/cuda.cuh"
#include "device/error_record.cuh"
#include "sort/class_lists.cuh"
#include "sort/segment_sort.h"

namespace dropmd {

/// The limits that a caller of the GPU's sort guarantees, so that nothing is allocated or read back during the sort. A
/// segment longer than max_length is left unsorted and reported.
struct SortLimits {
  int max_segments = 0;
  int max_keys = 0;
  /// More than kMaxRegisterLength costs 24 bytes of device memory per key and CUB's passes.
  int max_length = kMaxRegisterLength;
};

/// What the first pass over ragged segments does with those that it does not sort.
struct FirstPassRules {
  int max_length;
  SegmentFault too_long;  ///< the fault to report for a longer segment
  ErrorRecordView errors;
  ClassListsView lists;
};

/// Where the segments too long for registers begin and end: [capacity], 0 and 0 past the last one.
struct LargeSegmentsView {
  int* begin;
  int* end;
  int capacity;
};

/// Device memory and error record of the GPU's sort, allocated once for given limits; move-only. Only one stream may
/// use it at a time.
class SortWorkspace {
 public:
  SortWorkspace(const Cuda& cuda, const SortLimits& limits);

  /// Device memory in bytes, besides large_key_bytes(): the lists of segments by size class, their sizes, the
  /// beginnings and ends of large segments, and the error record.
  static std::uint64_t list_bytes(const SortLimits& limits);
  /// Device memory in bytes if max_length exceeds kMaxRegisterLength: each key as an element of 8 bytes before, during
  /// and after CUB's sort.
  static std::uint64_t large_key_bytes(std::uint64_t n_keys) {
    return 2 * sizeof(RealElement) * n_keys + segmented_sort_scratch_bytes(n_keys, sizeof(RealElement));
  }

  /// Waits for the stream; throws InputError if any segment sorted since the last check was faulty.
  void check();

  const SortLimits& limits() const { return limits_; }
  int multiprocessors() const { return multiprocessors_; }

  /// Throws std::invalid_argument if the segments exceed the limits or are impossible (require_possible()).
  void require(const Segments& segments) const;

  /// Empties the lists and returns the rules. Segments longer than the limits allow, or than `longest`, the limit of
  /// the kind of sort, are faulty.
  FirstPassRules first_pass(const Cuda& cuda, int longest);

  LargeSegmentsView large_segments() const;
  /// Memory for every key as an element, of 4 or 8 bytes.
  template <class Element>
  Element* unsorted() const {
    return reinterpret_cast<Element*>(unsorted_.data());
  }
  template <class Element>
  Element* sorted() const {
    return reinterpret_cast<Element*>(sorted_.data());
  }
  const DeviceBuffer<unsigned char>& cub_storage() const { return cub_storage_; }

 private:
  SortLimits limits_;
  int multiprocessors_;
  ErrorRecord errors_;
  ClassListsView lists_;
  DeviceBuffer<ListedSegment> entries_;
  DeviceBuffer<int> counts_;
  DeviceBuffer<int> large_;
  DeviceBuffer<RealElement> unsorted_;
  DeviceBuffer<RealElement> sorted_;
  DeviceBuffer<unsigned char> cub_storage_;
};

/// Enqueues the sort; it neither waits nor allocates and may be captured in a graph. Arrays and segments.offsets are in
/// device memory. Throws std::invalid_argument if the segments exceed the workspace's limits.
void sort_segments(const Cuda& cuda, const Segments& segments, const WordSort& arrays, SortWorkspace& workspace);
void sort_segments(const Cuda& cuda, const Segments& segments, const PackedSort& arrays, SortWorkspace& workspace);
void sort_segments(const Cuda& cuda, const Segments& segments, const RealSort& arrays, SortWorkspace& workspace);

}  // namespace dropmd

#pragma once

#include <cstdint>

#include "device/cuda.cuh"
#include "device/error_record.cuh"
#include "sort/duplicate_rule.cuh"
#include "sort/segment_sort.h"
#include "sort/size_class.h"

/// The rank sorts of E. S. Fomin (2013) for arrays of at most kMaxRegisterLength elements, as algorithms to run and
/// compare; sort/segment_sort.cuh is the sort to use. Nothing waits or allocates, and all can be captured in a graph.
/// Arrays and segments.offsets are in device memory. Faulty segments are left unsorted and reported by their index.
namespace dropmd {

/// The rank sorts of Fomin (2013).
enum class RankSortVariant {
  one,   ///< all pairs at once: rank_sort_all_pairs.cuh
  n,     ///< one thread per element: rank_sort_linear.cuh
  lg_n,  ///< merges by ranks: rank_sort_merge.cuh
};

/// Sorts words that are unique within their segment; equal ones would get the same position and leave another one
/// undefined. The longest length determines the threads per segment: the length of uniform segments, or max_length of
/// ragged ones; longer segments are faulty (too_long). Keys may be sorted in place.
void rank_sort(const Cuda& cuda, RankSortVariant variant, const Segments& segments, const WordSort& arrays,
               ErrorRecordView errors, int max_length = kMaxRegisterLength);

/// Sorts any integers, ascending and stable. d_permutation: [n_keys], positions in the whole array.
void rank_sort(const Cuda& cuda, RankSortVariant variant, DuplicateRule rule, const Segments& segments,
               const std::uint32_t* d_integers, int* d_permutation, ErrorRecordView errors,
               int max_length = kMaxRegisterLength);

/// Sorts reals in the order of `<`, stable; -0 equals +0, and every NaN comes after everything else: they are compared
/// as ordered_bits, whose unsigned `<` is that of the reals.
void rank_sort(const Cuda& cuda, RankSortVariant variant, DuplicateRule rule, const Segments& segments,
               const float* d_reals, int* d_permutation, ErrorRecordView errors, int max_length = kMaxRegisterLength);

}  // namespace dropmd

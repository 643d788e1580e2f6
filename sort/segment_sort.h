#pragma once

#include "core/execution.h"
#include "sort/element.h"
#include "sort/segments.h"

/// Sorts many short arrays at once, each by itself, stably. The CPU's side; sort/segment_sort.cuh has the GPU's, with
/// the same views and the same bytes. Arrays are [segments.n_keys]; an output that is null is left out; keys may be
/// sorted in place, a permutation holds positions in the whole input array: sorted[k] = input[permutation[k]].
/// Faulty segments (see SegmentFault) are left alone and reported. Segments that come behind a faulty one may overlap
/// others; what these hold, and on the GPU which of them are sorted at all, is then unspecified. Throws
/// std::invalid_argument for impossible segments (require_possible).
namespace dropmd {

/// Words that are packed already (pack_word), or any unsigned integers: ascending. The permutation of a word is its
/// lower half, counted from its segment's begin.
struct WordSort {
  const PackedWord* words = nullptr;
  PackedWord* sorted = nullptr;
  int* permutation = nullptr;
};

/// Reals, quantised to 16 bits over each segment's range of finite values and packed with their index: ascending codes,
/// equal codes in input order. Infinities and NaN: see Quantizer. A segment holds 65,536 values at most.
struct PackedSort {
  const float* values = nullptr;
  PackedWord* sorted = nullptr;  ///< words: code and index within the segment
  int* permutation = nullptr;
  Quantization* quantization = nullptr;  ///< [segments.count]
};

/// Reals at full precision, as std::stable_sort with `<` orders them, NaN behind everything else.
struct RealSort {
  const float* values = nullptr;
  float* sorted = nullptr;
  int* permutation = nullptr;
};

/// Throws InputError with the first faulty segment, after all others were sorted.
void sort_segments(const Cpu& cpu, const Segments& segments, const WordSort& arrays);
void sort_segments(const Cpu& cpu, const Segments& segments, const PackedSort& arrays);
void sort_segments(const Cpu& cpu, const Segments& segments, const RealSort& arrays);

}  // namespace dropmd

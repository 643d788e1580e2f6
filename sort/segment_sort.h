#pragma once

#include "core/execution.h"
#include "sort/element.h"
#include "sort/segments.h"

/// Sorts many short arrays at once, each by itself, stably. This is the CPU's interface; sort/segment_sort.cuh has the
/// GPU's, with the same views and bitwise identical results. Arrays are [segments.n_keys]; null outputs are omitted;
/// keys may be sorted in place; a permutation contains positions in the whole input array: sorted[k] =
/// input[permutation[k]]. Faulty segments (see SegmentFault) are left unsorted and reported. Segments after a faulty
/// one may overlap others; their contents and, on the GPU, which of them are sorted at all are then unspecified. Throws
/// std::invalid_argument for impossible segments (require_possible()).
namespace dropmd {

/// Sorts words that are already packed (pack_word()), or any unsigned integers, in ascending order. The permutation
/// follows from a word's lower half, its index in the segment.
struct WordSort {
  const PackedWord* words = nullptr;
  PackedWord* sorted = nullptr;
  int* permutation = nullptr;  ///< positions in the whole input array, from the words' lower halves
};

/// Sorts reals by codes of 16 bits over each segment's range of finite values, packed with their index: ascending
/// codes, with equal codes in the order of the input. For infinities and NaN see Quantizer. A segment has at most
/// 65,536 values.
struct PackedSort {
  const float* values = nullptr;
  PackedWord* sorted = nullptr;  ///< words: code, and index in the segment
  int* permutation = nullptr;
  Quantization* quantization = nullptr;  ///< [segments.count]
};

/// Sorts reals at full precision, like std::stable_sort with `<`, with NaN after everything else.
struct RealSort {
  const float* values = nullptr;
  float* sorted = nullptr;
  int* permutation = nullptr;
};

/// Sorts on the CPU. Throws InputError with the first faulty segment, after all others were sorted.
void sort_segments(const Cpu& cpu, const Segments& segments, const WordSort& arrays);
void sort_segments(const Cpu& cpu, const Segments& segments, const PackedSort& arrays);
void sort_segments(const Cpu& cpu, const Segments& segments, const RealSort& arrays);

}  // namespace dropmd

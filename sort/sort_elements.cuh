#pragma once

#include <cstdint>
#include <limits>

#include "sort/lane_group.cuh"
#include "sort/segment_sort.h"

namespace dropmd {

/// A segment as the lanes of its group see it; its length is 0 if the group has nothing to do.
struct GroupSegment {
  int index = 0;
  int begin = 0;
  int length = 0;
};

/// Stores the outputs of a packed word. Arrays: WordSort or PackedSort.
template <class Arrays>
__device__ inline void store_word(const Arrays& arrays, PackedWord word, int at, int offset, int begin) {
  if (arrays.sorted != nullptr) (arrays.sorted + at)[offset] = word;
  if (arrays.permutation != nullptr) (arrays.permutation + at)[offset] = begin + static_cast<int>(index_of(word));
}

/// Whether only keys are wanted, which can be stored without knowledge of their segments.
template <class Arrays>
bool staged_output(const Arrays& arrays) {
  return arrays.sorted != nullptr && arrays.permutation == nullptr;
}

/// How elements of one kind of sort are loaded and stored. `Element` is what the network sorts; a value with all bits
/// set sorts last and pads a segment of at most kLongest keys. Positions are given as a lane's part, `at`, and a
/// constant, `offset`, so that the constant costs no instruction. Key first + (i << log_lanes) of its segment is in
/// register i of a group's lane `first`. Elements that may be sorted in a stage (staged_sort.cuh) have `staged`,
/// `input` and `output`.
struct WordElements {
  using Element = PackedWord;
  static constexpr bool kStageable = true;
  static constexpr int kLongest = std::numeric_limits<int>::max();
  WordSort arrays;

  bool staged() const { return staged_output(arrays); }
  __device__ const PackedWord* input(int at) const { return arrays.words + at; }
  __device__ PackedWord* output(int at) const { return arrays.sorted + at; }

  __device__ Element load(int at, int offset, int /*index*/) const { return (arrays.words + at)[offset]; }

  __device__ void note_empty(int /*index*/) const {}

  template <int M>
  __device__ void prepare(Element (&)[M], const GroupSegment&, int, int) const {}

  __device__ void store(Element element, int at, int offset, int begin) const {
    store_word(arrays, element, at, offset, begin);
  }
};

struct RealElements {
  using Element = RealElement;
  static constexpr bool kStageable = false;
  static constexpr int kLongest = std::numeric_limits<int>::max();
  RealSort arrays;

  bool staged() const { return false; }
  __device__ const float* input(int at) const { return arrays.values + at; }

  __device__ Element load(int at, int offset, int index) const {
    return real_element((arrays.values + at)[offset], static_cast<std::uint32_t>(index));
  }

  __device__ void note_empty(int /*index*/) const {}

  template <int M>
  __device__ void prepare(Element (&)[M], const GroupSegment&, int, int) const {}

  __device__ void store(Element element, int at, int offset, int begin) const {
    if (arrays.sorted != nullptr) (arrays.sorted + at)[offset] = real_of(element);
    if (arrays.permutation != nullptr) (arrays.permutation + at)[offset] = begin + static_cast<int>(index_of(element));
  }
};

struct PackedElements {
  using Element = PackedWord;
  static constexpr bool kStageable = true;
  static constexpr int kLongest = kMaxPackedLength;
  PackedSort arrays;

  bool staged() const { return staged_output(arrays); }
  /// Returns the values' bits until `prepare` knows the range.
  __device__ const PackedWord* input(int at) const { return reinterpret_cast<const PackedWord*>(arrays.values + at); }
  __device__ PackedWord* output(int at) const { return arrays.sorted + at; }

  __device__ Element load(int at, int offset, int /*index*/) const { return input(at)[offset]; }

  __device__ void note_empty(int index) const {
    if (arrays.quantization != nullptr) arrays.quantization[index] = {0, 0};
  }

  template <int M>
  __device__ void prepare(Element (&key)[M], const GroupSegment& segment, int log_lanes, int lane) const {
    const int lanes = 1 << log_lanes;
    const int first = lane & (lanes - 1);
    FiniteRange range;
#pragma unroll
    for (int i = 0; i < M; ++i)
      if (first + (i << log_lanes) < segment.length) range.add(__uint_as_float(key[i]));
    for (int mask = 1; mask < lanes; mask *= 2) {
      range.lowest = fminf(range.lowest, __shfl_xor_sync(kWholeWarp, range.lowest, mask));
      range.highest = fmaxf(range.highest, __shfl_xor_sync(kWholeWarp, range.highest, mask));
    }
    const Quantizer quantize(range);
#pragma unroll
    for (int i = 0; i < M; ++i) {
      const int index = first + (i << log_lanes);
      if (index < segment.length)
        key[i] = pack_word(quantize(__uint_as_float(key[i])), static_cast<std::uint32_t>(index));
    }
    if (arrays.quantization != nullptr && first == 0 && segment.length > 0)
      arrays.quantization[segment.index] = quantization_of(range);
  }

  __device__ void store(Element element, int at, int offset, int begin) const {
    store_word(arrays, element, at, offset, begin);
  }
};

}  // namespace dropmd

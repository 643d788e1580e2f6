#pragma once

#include <bit>
#include <utility>

#include "core/macros.h"

namespace dropmd {

/// Longest segment that is sorted in registers; longer ones are sorted by CUB (CPU: by std::sort).
inline constexpr int kMaxRegisterLength = 1024;

/// The layout of a segment in registers: 2^log_lanes lanes of a warp hold keys_per_lane keys each.
struct SizeClass {
  int keys_per_lane;
  int log_lanes;

  /// Largest number of keys.
  DROPMD_HOST_DEVICE constexpr int capacity() const { return keys_per_lane << log_lanes; }
  DROPMD_HOST_DEVICE constexpr int segments_per_warp() const { return 32 >> log_lanes; }
};

/// Classes are 4, 8, then 5/8, 6/8, 7/8 and 8/8 of each power of two up to 1024: above 8 padding is at most a quarter
/// of a segment, and every number of keys per lane is 2^n times 1, 3, 5 or 7, for which short bitonic mergers exist
/// (comparator_network.h).
inline constexpr int kSizeClasses = 2 + 4 * 7;

/// Returns the class of a length in 1..1024.
DROPMD_HOST_DEVICE constexpr int size_class_of(int length) {
  if (length <= 8) return length <= 4 ? 0 : 1;
  const int log_half =
      static_cast<int>(std::bit_width(static_cast<unsigned>(length - 1))) - 1;  // 2^log_half < length <= 2^(log_half+1)
  const int quarter = 1 << (log_half - 2);
  return 2 + 4 * (log_half - 3) + (length + quarter - 1) / quarter - 5;
}

/// Returns the longest length of a class.
DROPMD_HOST_DEVICE constexpr int size_class_capacity(int index) {
  if (index < 2) return index == 0 ? 4 : 8;
  const int log_half = 3 + (index - 2) / 4;
  return (5 + (index - 2) % 4) << (log_half - 2);
}

/// Returns the shortest length of a class.
DROPMD_HOST_DEVICE constexpr int size_class_shortest(int index) {
  return index == 0 ? 1 : size_class_capacity(index - 1) + 1;
}

/// Lanes of a class, from measurements on an H200 (docs/sort.md): few lanes need few shuffles; many keys per lane need
/// registers, which reduces the number of warps that hide latency.
struct SizeClassTuning {
  static constexpr int kOneLane = 8;  ///< up to this many keys
  static constexpr int kTwoLanes = 32;
  static constexpr int kFourLanes = 64;
  static constexpr int kEightLanes = 256;
  static constexpr int kSixteenLanes = 512;
};

/// Returns the layout of a class.
DROPMD_HOST_DEVICE constexpr SizeClass size_class(int index) {
  const int capacity = size_class_capacity(index);
  const int log_lanes = capacity <= SizeClassTuning::kOneLane        ? 0
                        : capacity <= SizeClassTuning::kTwoLanes     ? 1
                        : capacity <= SizeClassTuning::kFourLanes    ? 2
                        : capacity <= SizeClassTuning::kEightLanes   ? 3
                        : capacity <= SizeClassTuning::kSixteenLanes ? 4
                                                                     : 5;
  return {capacity >> log_lanes, log_lanes};
}

/// Calls use.template operator()<index>() for an index in 0 .. kCount - 1 that is known only at run time.
template <int kCount, class Use>
DROPMD_HOST_DEVICE constexpr void with_constant(int index, const Use& use) {
  [&]<int... I>(std::integer_sequence<int, I...>) { ((index == I ? use.template operator()<I>() : void()), ...); }
  (std::make_integer_sequence<int, kCount>{});
}

/// Calls use.template operator()<keys per lane, log lanes>() for one of kCount classes from kFirst on.
template <int kFirst = 0, int kCount = kSizeClasses, class Use>
DROPMD_HOST_DEVICE constexpr void with_size_class(int index, const Use& use) {
  with_constant<kCount>(index - kFirst, [&]<int I>() {
    constexpr SizeClass kClass = size_class(kFirst + I);
    use.template operator()<kClass.keys_per_lane, kClass.log_lanes>();
  });
}

}  // namespace dropmd

#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "core/macros.h"

namespace dropmd {

/// Largest number of keys in one array: positions in a segment can then be added to its beginning without overflow.
inline constexpr int kMaxKeys = std::numeric_limits<int>::max() - (1 << 17);

/// The half-open range of one segment's keys.
struct SegmentRange {
  int begin;
  int end;

  DROPMD_HOST_DEVICE constexpr int length() const { return end - begin; }
};

/// Many short arrays, stored consecutively in one array of n_keys: segment s is [offsets[s], offsets[s + 1]) (CSR;
/// [count + 1], in the memory of the processor that sorts) or, without offsets, [s·length, (s + 1)·length).
struct Segments {
  const int* offsets = nullptr;  ///< [count + 1]; null: uniform segments
  int count = 0;
  int n_keys = 0;
  int length = 0;  ///< of every segment, if there are no offsets

  /// Segments of any lengths.
  static constexpr Segments ragged(const int* offsets, int count, int n_keys) { return {offsets, count, n_keys, 0}; }
  /// Segments of one length. Throws std::invalid_argument beyond kMaxKeys.
  static constexpr Segments uniform(int count, int length) {
    const long long n_keys = static_cast<long long>(count) * length;
    if (n_keys > kMaxKeys) throw std::invalid_argument("Segments: more than kMaxKeys keys");
    return {nullptr, count, n_keys < 0 ? -1 : static_cast<int>(n_keys), length};
  }

  DROPMD_HOST_DEVICE constexpr SegmentRange operator[](int s) const {
    return offsets != nullptr ? SegmentRange{offsets[s], offsets[s + 1]}
                              : SegmentRange{s * length, s * length + length};
  }
};

/// The faults of a segment; codes of the device's error record.
enum class SegmentFault : std::uint8_t {
  none = 0,
  decreasing,    ///< its end is before its beginning
  out_of_range,  ///< it begins before 0 or ends after the last key
  too_long,      ///< longer than the caller guaranteed
  not_packable,  ///< longer than a 16-bit index can count
};

/// Returns the fault of a segment.
DROPMD_HOST_DEVICE constexpr SegmentFault fault_of(SegmentRange range, int n_keys, int max_length) {
  if (range.begin < 0 || range.end > n_keys || range.begin > n_keys || range.end < 0) return SegmentFault::out_of_range;
  if (range.end < range.begin) return SegmentFault::decreasing;
  return range.length() > max_length ? SegmentFault::too_long : SegmentFault::none;
}

/// Throws std::invalid_argument for segments that cannot exist: a negative number, more than kMaxKeys keys, or uniform
/// segments with more keys than there are.
void require_possible(const Segments& segments);

/// Returns the message "segment 7: its offsets decrease (...)", the same for both processors.
std::string fault_text(SegmentFault fault, long long segment);

}  // namespace dropmd

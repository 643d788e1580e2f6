#include "sort/segments.h"

namespace dropmd {

void require_possible(const Segments& segments) {
  if (segments.count < 0 || segments.n_keys < 0 || segments.length < 0)
    throw std::invalid_argument("sort_segments: a negative number of segments or keys, or a negative length");
  if (segments.n_keys > kMaxKeys) throw std::invalid_argument("sort_segments: more than kMaxKeys keys");
  if (segments.offsets == nullptr && static_cast<long long>(segments.count) * segments.length > segments.n_keys)
    throw std::invalid_argument("sort_segments: segments of equal length need more keys than there are");
}

std::string fault_text(SegmentFault fault, long long segment) {
  const std::string begin = "offsets[" + std::to_string(segment) + "]";
  const std::string end = "offsets[" + std::to_string(segment + 1) + "]";
  const std::string text = "segment " + std::to_string(segment) + ": ";
  switch (fault) {
    case SegmentFault::decreasing:
      return text + "its offsets decrease (" + end + " must be at least " + begin + ")";
    case SegmentFault::out_of_range:
      return text + "it reaches outside the keys (" + begin + " and " + end +
             " must lie between 0 and the number of keys)";
    case SegmentFault::too_long:
      return text + "it is longer than the caller promised (raise the longest length in the sort's limits)";
    case SegmentFault::not_packable:
      return text + "it is too long for a 16-bit index (sort at most 65536 values, or sort at full precision)";
    case SegmentFault::none:
      break;
  }
  return text + "no fault";
}

}  // namespace dropmd

#pragma once

namespace dropmd {

/// The integer type of a block's force sums (BlockSums), and their range in quanta, as a power of two.
template <class Real>
struct BlockWord;
template <>
struct BlockWord<float> {
  using Type = int;
  static constexpr int kRangeBits = 30;
};
template <>
struct BlockWord<double> {
  using Type = unsigned long long;
  static constexpr int kRangeBits = 45;
};

}  // namespace dropmd

#pragma once

namespace dropmd {

/// In what a block sums forces (BlockSums), and up to how many quanta of it, as a power of two.
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

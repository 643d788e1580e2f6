#pragma once

namespace dropmd {

/// In what a block sums forces (BlockSums), and up to how many quanta of it.
template <class Real>
struct BlockWord;
template <>
struct BlockWord<float> {
  using Type = int;
  static constexpr float kRange = 0x1p30F;
};
template <>
struct BlockWord<double> {
  using Type = unsigned long long;
  static constexpr double kRange = 0x1p45;
};

}  // namespace dropmd

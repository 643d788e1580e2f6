#pragma once

#include <cmath>
#include <cstdint>

namespace dropmd {

/// Steps between two looks at whether the pair list is stale: a piece. In a small droplet steps in vain behind a stale
/// list cost about a microsecond each, a look some three.
inline constexpr std::int64_t kPieceSteps = 10;

/// How many pieces make n steps: lists go stale in the midst of them, nobody knows when, as often as lately.
class ListPace {
 public:
  /// Steps are launched from `step` on, when so many lists have been built.
  void begin(std::uint64_t step, std::uint64_t builds) {
    from_ = step;
    builds_ = builds;
  }
  /// As many have been built at `step`; fewer than at the beginning: they were counted anew.
  void count(std::uint64_t step, std::uint64_t builds) {
    if (step > from_ && builds >= builds_)
      builds_a_step_ = static_cast<double>(builds - builds_) / static_cast<double>(step - from_);
  }
  /// A list that goes stale costs half a piece on average; at least one, and mostly enough.
  std::int64_t pieces(std::int64_t n_steps) const {
    const auto n = static_cast<double>(n_steps);
    const double builds = builds_a_step_ * n;
    const double margin = builds > 0.1 ? 1.0 : 0.0;
    return static_cast<std::int64_t>(std::ceil(n / static_cast<double>(kPieceSteps) + 0.6 * builds + margin));
  }

 private:
  std::uint64_t from_ = 0, builds_ = 0;
  double builds_a_step_ = 0;
};

}  // namespace dropmd

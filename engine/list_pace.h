#pragma once

#include <cmath>
#include <cstdint>

namespace dropmd {

/// Steps between two looks at whether the search for neighbours is stale: a piece. In a small droplet steps in vain
/// behind a stale search cost about a microsecond each, a look some three. Without skin every step makes it stale.
inline constexpr std::int64_t piece_steps(double skin) { return skin > 0 ? 10 : 1; }

/// How many pieces make n steps: searches go stale in the midst of them, nobody knows when, as often as lately.
class ListPace {
 public:
  explicit ListPace(std::int64_t steps_of_piece = piece_steps(1)) : piece_(steps_of_piece) {}

  /// Steps are launched from `step` on, when so many searches have been made.
  void begin(std::uint64_t step, std::uint64_t builds) {
    from_ = step;
    builds_ = builds;
  }
  /// As many have been built at `step`; fewer than at the beginning: they were counted anew.
  void count(std::uint64_t step, std::uint64_t builds) {
    if (step > from_ && builds >= builds_)
      builds_a_step_ = static_cast<double>(builds - builds_) / static_cast<double>(step - from_);
  }
  /// A search that goes stale costs half a piece on average, if a piece is more than a step; at least one, and mostly
  /// enough. Searches that serve for much less than a piece have one each, and none to be sure: a piece in vain costs
  /// more there than a look.
  std::int64_t pieces(std::int64_t n_steps) const {
    constexpr double kMuchLess = 0.75;
    const auto n = static_cast<double>(n_steps), piece = static_cast<double>(piece_);
    const double builds = piece_ > 1 ? builds_a_step_ * n : 0;
    const bool one_each = kMuchLess * piece * builds > n;
    const double more = one_each ? builds - n / piece : 0.6 * builds + (builds > 0.1 ? 1.0 : 0.0);
    return static_cast<std::int64_t>(std::ceil(n / piece + more));
  }

 private:
  std::int64_t piece_;
  std::uint64_t from_ = 0, builds_ = 0;
  double builds_a_step_ = 0;
};

}  // namespace dropmd

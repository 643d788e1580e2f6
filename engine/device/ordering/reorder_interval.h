#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/macros.h"
#include "core/vec3.h"

/// Decides when the atoms of a run on a GPU are reordered along the curve: at an interval that follows from how far
/// they move in it. The interval is decided when atoms are reordered, from the state at that step, whatever is observed
/// in between.
namespace dropmd {

/// Atoms are reordered at multiples of this step number, which the default recentring interval divides: both then share
/// one interruption.
inline constexpr std::int64_t kSortGrid = 100;

/// Limits of the reordering interval; multiples of kSortGrid.
struct SortBounds {
  std::int64_t least;
  std::int64_t most;

  std::int64_t clamp(double steps) const {
    const double bounded = std::min(steps, static_cast<double>(most));
    const std::int64_t units = std::llround(bounded / static_cast<double>(kSortGrid));
    return std::clamp(units * kSortGrid, least, most);
  }
};

/// What the order of the atoms is used for.
enum class OrderUse : std::uint8_t {
  wide_tiles,  ///< tiles that may be as wide as a small droplet
  all_pairs,   ///< hardly anything
  search,      ///< clusters and cells of a neighbour structure
  blocks       ///< blocks whose atoms share near atoms: one atom that has left its block delays all blocks
};

/// Returns the limits of the interval. Reordering and the rebuild after it take about 200 µs and 1.2 ns per atom, by
/// estimate; a step with a pair list takes 14 µs and 0.85 ns per atom on an H200 (docs/experiments.md). At most a
/// fiftieth of the time may be spent on reordering.
inline SortBounds sort_bounds(std::size_t n_atoms, OrderUse use) {
  constexpr double kLargestShare = 0.02;
  constexpr std::int64_t kMost = 10'000, kUsual = 1'000;
  const auto n = static_cast<double>(n_atoms);
  const double sorting_in_steps = (200 + 1.2e-3 * n) / (14 + 0.85e-3 * n);
  const auto units = static_cast<std::int64_t>(std::ceil(sorting_in_steps / kLargestShare / kSortGrid));
  if (use == OrderUse::wide_tiles) return {2 * kUsual, kMost};
  return {use == OrderUse::all_pairs ? kUsual : units * kSortGrid, use == OrderUse::blocks ? kUsual : kMost};
}

/// The locality loss of the atoms is the mean of their squared displacements since they were reordered, each at most 1,
/// and 1 for NaN. The unit of length is about the distance between neighbours. An atom's contribution is an integer, so
/// that the sum does not depend on the order.
inline constexpr std::uint32_t kWholeLocalityLoss = 1U << 20U;
DROPMD_HOST_DEVICE inline std::uint32_t locality_loss_of_atom(const Vec3<float>& displacement) {
  const float d2 = dot(displacement, displacement);
  return d2 < 1.0F ? static_cast<std::uint32_t>(d2 * kWholeLocalityLoss) : kWholeLocalityLoss;  // NaN, too
}

/// Number of atoms from whose displacements the drift of all atoms is taken, as the median of each component: a single
/// lost atom then changes it only from one value to the next, whereas a mean would follow it.
inline constexpr std::uint32_t kDriftSample = 255;
/// Returns the rank of the k-th of n values in ascending order. Equal values are ranked by index; NaN counts as
/// infinity.
DROPMD_HOST_DEVICE inline std::uint32_t rank_of(const float* values, std::uint32_t n, std::uint32_t k) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const auto number = [&](std::uint32_t i) { return values[i] < kInf ? values[i] : kInf; };
  const float own = number(k);
  std::uint32_t rank = 0;
  for (std::uint32_t i = 0; i < n; ++i) rank += number(i) < own || (i < k && number(i) == own) ? 1 : 0;
  return rank;
}

/// The locality loss at which reordering pays off, by estimate: clusters of eight atoms in a liquid are then about 4%
/// wider and interact with one or two per cent more atoms. Atoms of a solid oscillate by less: at the melting point
/// their displacement between two moments is 0.14 to 0.21 of their spacing (Lindemann), whose squares are 0.02 to
/// 0.045.
inline constexpr double kWantedLocalityLoss = 1.0 / 16;

/// The state on which the steps of reordering depend, besides the positions of the atoms now and at the last
/// reordering. A run that resumes from a state reorders the atoms first, so that it needs no more than this.
struct ReorderInterval {
  std::int64_t last = 0;         ///< step of the last reordering
  std::int64_t interval = 1000;  ///< wanted number of steps between reorderings
  std::int64_t next = 1000;      ///< step of the next reordering
  std::int64_t sortings = 0;     ///< number of reorderings so far at steps of their own

  bool operator==(const ReorderInterval&) const = default;

  /// To be called when the atoms were reordered for another reason: a start, or a change of method.
  void begin(std::int64_t step, const SortBounds& bounds) {
    interval = bounds.clamp(static_cast<double>(interval));
    last = step;
    next = (step + interval + kSortGrid - 1) / kSortGrid * kSortGrid;
  }

  /// To be called when the atoms were reordered at `next`. locality_loss: before that, 0 to 1. The root of the ratio
  /// reaches the wanted locality loss within a few reorderings for atoms that diffuse, and at once for atoms in free
  /// flight, where the ratio itself would oscillate forever.
  void sorted(double locality_loss, const SortBounds& bounds) {
    constexpr double kMostGrowth = 4;
    const double growth = std::sqrt(kWantedLocalityLoss / std::max(locality_loss, 1e-6));
    interval = bounds.clamp(static_cast<double>(next - last) * std::min(growth, kMostGrowth));
    last = next;
    next = last + interval;
    ++sortings;
  }
};

}  // namespace dropmd

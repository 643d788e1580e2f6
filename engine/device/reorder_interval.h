#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/macros.h"
#include "core/vec3.h"

/// When the atoms of a run on a GPU are sorted along the curve: at an interval that follows from how far they come in
/// it. It is decided at steps of sorting, from the state there, whatever is looked at in between.
namespace dropmd {

/// Steps of sorting are multiples of this, which recentring divides by default: one interruption for both.
inline constexpr std::int64_t kSortGrid = 100;

/// Steps between two sortings; multiples of kSortGrid.
struct SortBounds {
  std::int64_t least;
  std::int64_t most;

  std::int64_t clamp(double steps) const {
    const double bounded = std::min(steps, static_cast<double>(most));
    const std::int64_t units = std::llround(bounded / static_cast<double>(kSortGrid));
    return std::clamp(units * kSortGrid, least, most);
  }
};

/// What the order of the atoms is for.
enum class OrderUse : std::uint8_t {
  all_pairs,  ///< hardly anything
  search,     ///< a search's clusters and cells
  blocks      ///< blocks whose atoms share what is near them: one that has left the others makes all blocks wait
};

/// Sorting, and the search after it, take some 200 µs and 1.2 ns an atom, by estimate; a step with a pair list takes
/// 14 µs and 0.85 ns an atom on an H200 (docs/experiments.md). No more than a fiftieth of the time shall go into it.
inline SortBounds sort_bounds(std::size_t n_atoms, OrderUse use) {
  constexpr double kLargestShare = 0.02;
  constexpr std::int64_t kMost = 10'000, kUsual = 1'000;
  const auto n = static_cast<double>(n_atoms);
  const double sorting_in_steps = (200 + 1.2e-3 * n) / (14 + 0.85e-3 * n);
  const auto units = static_cast<std::int64_t>(std::ceil(sorting_in_steps / kLargestShare / kSortGrid));
  return {use == OrderUse::all_pairs ? kUsual : units * kSortGrid, use == OrderUse::blocks ? kUsual : kMost};
}

/// The locality loss of atoms is the mean of their squared displacements since they were sorted, each 1 at most, and 1
/// where it is no number; the unit of length is about the distance of neighbours. An atom's part is an integer: sums
/// then do not depend on their order.
inline constexpr std::uint32_t kWholeLocalityLoss = 1U << 20U;
DROPMD_HOST_DEVICE inline std::uint32_t locality_loss_of_atom(const Vec3<float>& displacement) {
  const float d2 = dot(displacement, displacement);
  return d2 < 1.0F ? static_cast<std::uint32_t>(d2 * kWholeLocalityLoss) : kWholeLocalityLoss;  // NaN, too
}

/// Atoms on whose displacements, component by component, the drift of all is the median: one that is lost, wherever it
/// is, then changes it by no more than from one of the others' to the next. A mean would follow it.
inline constexpr std::uint32_t kDriftSample = 255;
/// The place of the k-th of n values in ascending order; alike ones in their order, NaN as infinity.
DROPMD_HOST_DEVICE inline std::uint32_t rank_of(const float* values, std::uint32_t n, std::uint32_t k) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const auto number = [&](std::uint32_t i) { return values[i] < kInf ? values[i] : kInf; };
  const float own = number(k);
  std::uint32_t rank = 0;
  for (std::uint32_t i = 0; i < n; ++i) rank += number(i) < own || (i < k && number(i) == own) ? 1 : 0;
  return rank;
}

/// Locality loss at which sorting pays, by estimate: a liquid's clusters of eight atoms are then some 4% wider and meet
/// one or two per cent of pairs more. Atoms of a solid swing by less: at the melting point they differ from themselves
/// at another moment by 0.14 to 0.21 of their spacing (Lindemann), whose squares are 0.02 to 0.045.
inline constexpr double kWantedLocalityLoss = 1.0 / 16;

/// What the steps of sorting depend on besides where the atoms are, and were at the last one. A run that resumes from a
/// state sorts it first, so that it needs no more than this.
struct ReorderInterval {
  std::int64_t last = 0;         ///< step at which the atoms were sorted
  std::int64_t interval = 1000;  ///< steps wanted from one sorting to the next
  std::int64_t next = 1000;      ///< step of the next sorting
  std::int64_t sortings = 0;     ///< so far, at steps of their own

  bool operator==(const ReorderInterval&) const = default;

  /// The atoms were sorted at a step that another reason chose: a start, or a change of method.
  void begin(std::int64_t step, const SortBounds& bounds) {
    interval = bounds.clamp(static_cast<double>(interval));
    last = step;
    next = (step + interval + kSortGrid - 1) / kSortGrid * kSortGrid;
  }

  /// They were sorted at `next`; locality_loss: 0 .. 1, before. The root of the ratio hits the wanted locality loss for
  /// atoms that diffuse within a few sortings, and for those that fly at once, where the ratio itself would swing for
  /// ever.
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

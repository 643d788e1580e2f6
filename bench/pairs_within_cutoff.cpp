#include "bench/pairs_within_cutoff.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/parallel_for.h"

namespace dropmd {

namespace {

/// The points of one axis.
struct Axis {
  double origin, spacing;
  std::int32_t n;

  double at(std::int32_t i) const { return origin + i * spacing; }
};

/// The points [first, last) of an axis closer than √limit2 to x, as decided by the sum of squares. Few more points are
/// tested than those that the division misjudges.
struct PointRange {
  std::int32_t first, last;

  PointRange(const Axis& axis, double x, double limit2) {
    const double half = std::sqrt(std::max(0.0, limit2));
    const auto near = [&](double to) {
      return static_cast<std::int32_t>(std::clamp((to - axis.origin) / axis.spacing, 0.0, 1.0 * axis.n));
    };
    first = near(x - half), last = near(x + half);
    const auto is_in = [&](std::int32_t i) { return (axis.at(i) - x) * (axis.at(i) - x) < limit2; };
    while (first < last && !is_in(first)) ++first;
    while (first > 0 && is_in(first - 1)) --first;
    last = std::max(first, last);
    while (last < axis.n && is_in(last)) ++last;
    while (last > first && !is_in(last - 1)) --last;
  }
};

std::uint64_t points_near(const MapGrid& grid, const Vec3<double>& atom, double cutoff) {
  const Axis x{grid.origin.x, grid.spacing.x, grid.points.x}, y{grid.origin.y, grid.spacing.y, grid.points.y},
      z{grid.origin.z, grid.spacing.z, grid.points.z};
  std::uint64_t n = 0;
  const PointRange planes(z, atom.z, cutoff * cutoff);
  for (std::int32_t k = planes.first; k < planes.last; ++k) {
    const double left_z = cutoff * cutoff - (z.at(k) - atom.z) * (z.at(k) - atom.z);
    const PointRange rows(y, atom.y, left_z);
    for (std::int32_t j = rows.first; j < rows.last; ++j) {
      const PointRange row(x, atom.x, left_z - (y.at(j) - atom.y) * (y.at(j) - atom.y));
      n += static_cast<std::uint64_t>(row.last - row.first);
    }
  }
  return n;
}

}  // namespace

double map_pairs_within_cutoff(Cpu cpu, const MapGrid& grid, MapCharges charges, double cutoff, std::size_t most) {
  std::vector<std::size_t> charged;
  for (std::size_t i = 0; i < charges.charge.size(); ++i)
    if (charges.charge[i] != 0) charged.push_back(i);
  const std::size_t step = std::max<std::size_t>(1, (charged.size() + most - 1) / most);
  const std::size_t n_counted = (charged.size() + step - 1) / step;
  std::atomic<std::uint64_t> n = 0;
  parallel_for(cpu, n_counted,
               [&](std::size_t a) { n += points_near(grid, charges.position[charged[a * step]], cutoff); });
  if (n_counted == 0) return 0;
  return static_cast<double>(n.load()) * static_cast<double>(charged.size()) / static_cast<double>(n_counted);
}

}  // namespace dropmd

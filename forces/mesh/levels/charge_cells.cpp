#include "forces/mesh/levels/charge_cells.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace dropmd {

std::array<long long, 3> ChargeCells::cell_of(const Vec3<double>& x) const {
  const auto along = [&](double at, double low, long long n) {
    const double cell = (at - low) * per_edge_;
    // The comparison is false for NaN.
    return cell > 0 ? static_cast<long long>(std::min(cell, static_cast<double>(n - 1))) : 0LL;
  };
  return {along(x.x, low_.x, n_[0]), along(x.y, low_.y, n_[1]), along(x.z, low_.z, n_[2])};
}

ChargeCells::ChargeCells(std::span<const Vec3<double>> position, std::span<const std::uint32_t> charges, double edge) {
  Cuboid cuboid;
  for (const std::uint32_t k : charges) cuboid.add(position[k]);
  const double most_along = std::cbrt(64.0 + 4.0 * static_cast<double>(charges.size()));
  if (edge < std::numeric_limits<double>::infinity() && !cuboid.empty) {
    const Vec3<double> size = cuboid.size();
    edge = std::max(edge, std::max({size.x, size.y, size.z}) / most_along);
    low_ = cuboid.low;
    per_edge_ = 1 / edge;
    n_ = {static_cast<long long>(size.x * per_edge_) + 1, static_cast<long long>(size.y * per_edge_) + 1,
          static_cast<long long>(size.z * per_edge_) + 1};
  }
  std::vector<std::uint32_t> cell(charges.size());
  begin_.assign(static_cast<std::size_t>(n_[0] * n_[1] * n_[2]) + 1, 0);
  for (std::size_t k = 0; k < charges.size(); ++k) {
    const std::array<long long, 3> at = cell_of(position[charges[k]]);
    cell[k] = static_cast<std::uint32_t>((at[0] * n_[1] + at[1]) * n_[2] + at[2]);
    ++begin_[cell[k] + 1];
  }
  for (std::size_t c = 1; c < begin_.size(); ++c) begin_[c] += begin_[c - 1];
  of_cell_.resize(charges.size());
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (std::uint32_t k = 0; k < charges.size(); ++k) of_cell_[next[cell[k]]++] = k;
}

}  // namespace dropmd

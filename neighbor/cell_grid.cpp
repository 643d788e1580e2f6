#include "neighbor/cell_grid.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "neighbor/spatial_order.h"

namespace dropmd {

CellGrid::CellGrid(std::span<const Vec3<double>> position, const Vec3<double>& anchor, double edge)
    : anchor_(anchor), edge_(edge) {
  const double edge_inv = 1.0 / edge;
  std::vector<CellIndex> index(position.size());
  for (std::size_t i = 0; i < position.size(); ++i) index[i] = cell_index(position[i] - anchor, edge_inv);

  order_ = spatial_order(index);
  for (std::uint32_t k = 0; k < order_.size(); ++k) {
    const CellIndex& here = index[order_[k]];
    if (cells_.empty() || cells_.back().index != here) cells_.push_back({here, k, k});
    cells_.back().end = k + 1;
  }

  table_.assign(std::bit_ceil(2 * cells_.size() + 1), kNoCell);
  const auto mask = static_cast<std::uint32_t>(table_.size() - 1);
  for (std::uint32_t c = 0; c < cells_.size(); ++c) {
    std::uint32_t slot = cell_hash(cells_[c].index) & mask;
    while (table_[slot] != kNoCell) slot = (slot + 1) & mask;
    table_[slot] = c;
  }
}

Vec3<double> central_anchor(std::span<const Vec3<double>> position, double step) {
  constexpr std::size_t kSample = 1023;
  const std::size_t stride = std::max<std::size_t>(1, position.size() / kSample);
  std::vector<double> values;
  const auto median = [&](double Vec3<double>::*component) {
    values.clear();
    for (std::size_t i = 0; i < position.size(); i += stride)
      if (std::isfinite(position[i].*component)) values.push_back(position[i].*component);
    if (values.empty()) return 0.0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return std::round(*middle / step) * step;
  };
  return {median(&Vec3<double>::x), median(&Vec3<double>::y), median(&Vec3<double>::z)};
}

}  // namespace dropmd

#include "neighbor/cells/cell_grid.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/ordered_sum.h"
#include "neighbor/spatial_order.h"

namespace dropmd {

namespace {

bool is_plain(const CellIndex& c) {
  return std::max({std::abs(c.x), std::abs(c.y), std::abs(c.z)}) <= kLargestPlainIndex;
}

/// Numbers the cells of the atoms beyond kLargestPlainIndex along one axis, on one side of the anchor: gaps of more
/// than kGap cells become kGap cells, all others stay. atoms: indices of these atoms and any others.
void number_far_cells(std::span<const std::uint32_t> atoms, std::span<const Vec3<double>> position,
                      const Vec3<double>& anchor, double edge_inv, double Vec3<double>::*coordinate,
                      std::int32_t CellIndex::*component, double side, std::vector<CellIndex>& index) {
  constexpr double kGap = 64;
  struct Far {
    double cell;  ///< counted outwards
    std::uint32_t atom;
  };
  std::vector<Far> far;
  for (const std::uint32_t i : atoms) {
    const double cell = side * std::floor((position[i].*coordinate - anchor.*coordinate) * edge_inv);
    if (cell > kLargestPlainIndex && std::isfinite(cell)) far.push_back({cell, i});
  }
  std::sort(far.begin(), far.end(), [](const Far& a, const Far& b) { return a.cell < b.cell; });
  double last = kLargestPlainIndex, number = kLargestPlainIndex;
  for (const Far& f : far) {
    number = std::min(number + std::min(f.cell - last, kGap), kLargestCellIndex);
    last = f.cell;
    index[f.atom].*component = static_cast<std::int32_t>(side * number);
  }
}

}  // namespace

CellGrid::CellGrid(std::span<const Vec3<double>> position, const Vec3<double>& anchor, double edge, Cpu cpu)
    : anchor_(anchor), edge_(edge) {
  const double edge_inv = 1.0 / edge;
  std::vector<CellIndex> index(position.size());
  for_each_index(cpu, position.size(), [&](std::size_t i) { index[i] = cell_index(position[i] - anchor, edge_inv); });
  std::vector<std::uint32_t> far;
  for (std::uint32_t i = 0; i < position.size(); ++i)
    if (!is_plain(index[i])) far.push_back(i);
  if (!far.empty())
    for (const double side : {-1.0, 1.0}) {
      number_far_cells(far, position, anchor, edge_inv, &Vec3<double>::x, &CellIndex::x, side, index);
      number_far_cells(far, position, anchor, edge_inv, &Vec3<double>::y, &CellIndex::y, side, index);
      number_far_cells(far, position, anchor, edge_inv, &Vec3<double>::z, &CellIndex::z, side, index);
    }

  order_ = spatial_order(index, cpu);
  std::vector<CellIndex> sorted(order_.size());
  for_each_index(cpu, order_.size(), [&](std::size_t k) { sorted[k] = index[order_[k]]; });
  for (std::uint32_t k = 0; k < order_.size(); ++k) {
    const CellIndex& here = sorted[k];
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
    return std::abs(*middle) < 0x1p30 * step ? std::round(*middle / step) * step : 0.0;
  };
  return {median(&Vec3<double>::x), median(&Vec3<double>::y), median(&Vec3<double>::z)};
}

}  // namespace dropmd

#include "neighbor/closest_pair.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "neighbor/cells/cell_grid.h"
#include "neighbor/cells/sorted_cells.h"

namespace dropmd {

void for_each_pair_within(std::span<const Vec3<double>> position, double limit,
                          const std::function<void(const AtomPair&)>& use) {
  // Pairs are in adjacent cells at most; much smaller cells would only saturate the indices of atoms far from the
  // anchor.
  constexpr double kSmallestEdge = 1e-3;
  const CellGrid grid(position, central_anchor(position, 1.0), std::max(limit * 1.001, kSmallestEdge));
  const CellGridView view = grid.view();
  std::vector<Vec3<double>> sorted;
  sorted.reserve(position.size());
  for (const std::uint32_t i : grid.order()) sorted.push_back(position[i]);
  const double near2 = limit * limit * (1 + 1e-12);  // a margin for rounding
  const auto found = [&](std::uint32_t i, std::uint32_t j) {
    const double r = norm(position[i] - position[j]);
    if (r < limit) use({std::min(i, j), std::max(i, j), r});
  };
  const auto consider_all = [&](const Cell& cell, const Cell& other, bool is_same) {
    for (std::uint32_t a = cell.begin; a < cell.end; ++a)
      for (std::uint32_t b = is_same ? a + 1 : other.begin; b < other.end; ++b) {
        const Vec3<double> d = sorted[a] - sorted[b];
        if (dot(d, d) <= near2) found(grid.order()[a], grid.order()[b]);
      }
  };
  for (const Cell& cell : grid.cells()) {
    consider_all(cell, cell, true);
    for (const CellIndex& axis : kCellAxis)
      if (const std::uint32_t c = view.find(cell.index + axis); c != kNoCell) consider_all(cell, view.cells[c], false);
  }
}

std::optional<AtomPair> closest_pair_within(std::span<const Vec3<double>> position, double limit,
                                            const std::function<bool(const AtomPair&)>& counts) {
  std::optional<AtomPair> closest;
  const auto consider = [&](const AtomPair& pair) {
    if ((!closest || pair.distance < closest->distance) && (!counts || counts(pair))) closest = pair;
  };
  for_each_pair_within(position, limit, consider);
  return closest;
}

std::optional<AtomPair> nearest_neighbor(std::span<const Vec3<double>> position, std::uint32_t i) {
  std::optional<AtomPair> nearest;
  for (std::uint32_t j = 0; j < position.size(); ++j) {
    if (j == i) continue;
    const double r = norm(position[i] - position[j]);
    if (std::isfinite(r) && (!nearest || r < nearest->distance)) nearest = AtomPair{i, j, r};
  }
  return nearest;
}

}  // namespace dropmd

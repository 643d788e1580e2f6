#include "neighbor/cells/cell_frames.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel_for.h"

namespace dropmd {

namespace {

/// The range of one coordinate.
struct Interval {
  double low = std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::lowest();

  void include(double x) {
    if (!std::isfinite(x)) return;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  double middle(double step) const { return low > high ? 0.0 : std::round((0.5 * low + 0.5 * high) / step) * step; }
  double extent(double middle) const { return low > high ? 0.0 : std::max(middle - low, high - middle); }
};

}  // namespace

CellFrame frame_of(std::span<const std::uint32_t> atoms, std::span<const Vec3<double>> position, double step) {
  Interval x, y, z;
  for (const std::uint32_t i : atoms) x.include(position[i].x), y.include(position[i].y), z.include(position[i].z);
  const Vec3<double> centre{x.middle(step), y.middle(step), z.middle(step)};
  return {centre, std::max({x.extent(centre.x), y.extent(centre.y), z.extent(centre.z)})};
}

std::vector<CellFrame> cell_frames(Cpu cpu, const CellGrid& grid, std::span<const Vec3<double>> position, double step) {
  const auto cells = grid.cells();
  std::vector<CellFrame> frames(cells.size());
  parallel_for(cpu, cells.size(), [&](std::size_t k) {
    const Cell& cell = cells[k];
    frames[k] = frame_of(grid.order().subspan(cell.begin, cell.end - cell.begin), position, step);
  });
  return frames;
}

}  // namespace dropmd

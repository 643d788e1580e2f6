#include "maps/designs/large_bins.h"

#include <algorithm>
#include <cmath>

namespace dropmd {

PointBlocks large_bin_regions(const MapGrid& grid, double edge) {
  const auto points = [&](double spacing, std::int32_t all) {
    return static_cast<std::int32_t>(std::clamp(std::round(edge / spacing), std::min(8.0, 1.0 * all), 1.0 * all));
  };
  return {grid.points,
          {points(grid.spacing.x, grid.points.x), points(grid.spacing.y, grid.points.y),
           points(grid.spacing.z, grid.points.z)}};
}

std::vector<BinAtom> region_charges(const SortedCharges& charges, const SpaceBox& box, double cutoff) {
  const Vec3<double> middle = box.low + 0.5 * (box.high - box.low);
  const auto is_within = [cutoff](double x, double low, double high) { return x > low - cutoff && x < high + cutoff; };
  std::vector<BinAtom> found;
  // The corners of the wider box are √3 cutoffs from that of the points.
  charges.visit_near(box, std::sqrt(3.0) * cutoff, [&](std::size_t from, std::size_t to) {
    for (std::size_t a = from; a < to; ++a) {
      const auto& [p, charge] = charges.atoms()[a];
      if (!is_within(p.x, box.low.x, box.high.x) || !is_within(p.y, box.low.y, box.high.y) ||
          !is_within(p.z, box.low.z, box.high.z))
        continue;
      const Vec3<double> d = p - middle;
      found.push_back(
          {static_cast<float>(d.x), static_cast<float>(d.y), static_cast<float>(d.z), static_cast<float>(charge)});
    }
  });
  return found;
}

}  // namespace dropmd

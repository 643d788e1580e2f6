#include "neighbor/cells/cell_offsets.h"

#include <cmath>

namespace dropmd {

std::optional<std::vector<CellIndex>> offsets_within(double edge, double distance, std::size_t limit) {
  const double cells = distance / edge;
  constexpr double kSphere = 4.19;  // 4π/3: the offsets fill at least the sphere of that radius
  if (!(kSphere * cells * cells * cells < static_cast<double>(limit))) return std::nullopt;

  std::vector<CellIndex> offsets;
  const auto n = static_cast<std::int32_t>(std::ceil(cells)) + 1;
  const double cells2 = cells * cells;
  for (std::int32_t x = -n; x <= n; ++x)
    for (std::int32_t y = -n; y <= n; ++y)
      for (std::int32_t z = -n; z <= n; ++z) {
        const double gx = cell_gap(x), gy = cell_gap(y), gz = cell_gap(z);
        if (gx * gx + gy * gy + gz * gz < cells2) offsets.push_back({x, y, z});
      }
  if (offsets.size() > limit) return std::nullopt;
  return offsets;
}

}  // namespace dropmd

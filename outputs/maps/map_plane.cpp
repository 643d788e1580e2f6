#include "outputs/maps/map_plane.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace dropmd {
namespace {

std::int32_t points_along(const MapGrid& grid, MapAxis axis) {
  return axis == MapAxis::x ? grid.points.x : axis == MapAxis::y ? grid.points.y : grid.points.z;
}

/// A coordinate between points `low` and `low + 1`; the latter has the weight `share`.
struct Between {
  std::int32_t low;
  double share;
};

Between between(double coordinate, double origin, double spacing, std::int32_t n) {
  const double index = std::clamp((coordinate - origin) / spacing, 0.0, static_cast<double>(n - 1));
  const std::int32_t low = std::min(static_cast<std::int32_t>(index), std::max(n - 2, 0));
  return {low, index - low};
}

/// Interpolates linearly; exact at both ends, where the other value may have any size.
double linear(double a, double b, double share) {
  return share == 0 ? a : share == 1 ? b : (1 - share) * a + share * b;
}

}  // namespace

char name_of(MapAxis axis) { return axis == MapAxis::x ? 'x' : axis == MapAxis::y ? 'y' : 'z'; }

double along(const Vec3<double>& x, MapAxis axis) { return axis == MapAxis::x ? x.x : axis == MapAxis::y ? x.y : x.z; }

double MapPlane::at(double u_coordinate, double v_coordinate) const {
  const Between i = between(u_coordinate, along(origin, u), along(spacing, u), n_u);
  const Between j = between(v_coordinate, along(origin, v), along(spacing, v), n_v);
  const auto row = [&](std::int32_t at_v) {
    const auto first = static_cast<std::size_t>(at_v) * static_cast<std::size_t>(n_u) + static_cast<std::size_t>(i.low);
    return i.share > 0 ? linear(potential[first], potential[first + 1], i.share) : potential[first];
  };
  return j.share > 0 ? linear(row(j.low), row(j.low + 1), j.share) : row(j.low);
}

double MapPlane::quantile(double share) const {
  std::vector<double> sizes(potential.size());
  std::transform(potential.begin(), potential.end(), sizes.begin(), [](double value) { return std::abs(value); });
  const auto nth = sizes.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(sizes.size() - 1));
  std::nth_element(sizes.begin(), nth, sizes.end());
  return *nth;
}

bool reaches(const MapGrid& grid, MapAxis axis, double coordinate) {
  const double spacing = along(grid.spacing, axis);
  const std::int32_t n = points_along(grid, axis);
  const double index = (coordinate - along(grid.origin, axis)) / spacing;
  const double beyond = n == 1 ? 0.5 : 1e-9;  // in spacings; the latter allows for rounding
  return index >= -beyond && index <= n - 1 + beyond;
}

MapPlane plane_of(const PotentialMap& map, MapAxis axis, double coordinate) {
  const MapGrid& grid = map.grid;
  const MapAxis u = axis == MapAxis::x ? MapAxis::y : MapAxis::x;
  const MapAxis v = axis == MapAxis::z ? MapAxis::y : MapAxis::z;
  MapPlane plane{.u = u,
                 .v = v,
                 .origin = grid.origin,
                 .spacing = grid.spacing,
                 .n_u = points_along(grid, u),
                 .n_v = points_along(grid, v),
                 .potential = {}};
  const Between w = between(coordinate, along(grid.origin, axis), along(grid.spacing, axis), points_along(grid, axis));
  const auto value = [&](std::int32_t i, std::int32_t j, std::int32_t at_w) {
    if (axis == MapAxis::x) return map.potential[grid.number(at_w, i, j)];
    if (axis == MapAxis::y) return map.potential[grid.number(i, at_w, j)];
    return map.potential[grid.number(i, j, at_w)];
  };
  plane.potential.reserve(static_cast<std::size_t>(plane.n_u) * static_cast<std::size_t>(plane.n_v));
  for (std::int32_t j = 0; j < plane.n_v; ++j)
    for (std::int32_t i = 0; i < plane.n_u; ++i) {
      const double low = value(i, j, w.low);
      plane.potential.push_back(w.share > 0 ? linear(low, value(i, j, w.low + 1), w.share) : low);
    }
  return plane;
}

}  // namespace dropmd

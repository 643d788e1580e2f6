#pragma once

#include <string>
#include <vector>

#include "core/run/map_grid.h"

namespace dropmd {

enum class MapAxis { x, y, z };

/// Name and component of an axis.
char name_of(MapAxis axis);
double along(const Vec3<double>& x, MapAxis axis);

/// The potential in a plane at right angles to an axis: points (u, v), u along the first of the other axes.
struct MapPlane {
  MapAxis u, v;
  Vec3<double> origin, spacing;   ///< of the grid
  int n_u, n_v;                   ///< points
  std::vector<double> potential;  ///< [n_v][n_u]

  /// Linear between points, constant beyond the outermost.
  double at(double u_coordinate, double v_coordinate) const;
  /// The absolute value that a share of the points does not exceed.
  double quantile(double share) const;
};

/// Whether the grid reaches a plane: between its outermost points, or within half a spacing of a single one.
bool reaches(const MapGrid& grid, MapAxis axis, double coordinate);

/// The plane at a coordinate of an axis that the grid reaches, linear between the two planes of points beside it.
MapPlane plane_of(const PotentialMap& map, MapAxis axis, double coordinate);

}  // namespace dropmd

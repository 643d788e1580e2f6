#pragma once

#include <string>
#include <vector>

#include "core/run/map_grid.h"

namespace dropmd {

/// An axis of a map.
enum class MapAxis { x, y, z };

/// Returns the name of an axis.
char name_of(MapAxis axis);
/// Returns the component along an axis.
double along(const Vec3<double>& x, MapAxis axis);

/// The potential in a plane perpendicular to an axis: points (u, v), with u along the first of the other axes.
struct MapPlane {
  MapAxis u, v;
  Vec3<double> origin, spacing;   ///< of the grid
  int n_u, n_v;                   ///< numbers of points
  std::vector<double> potential;  ///< [n_v][n_u]

  /// Returns the potential by linear interpolation between points, constant beyond the outermost.
  double at(double u_coordinate, double v_coordinate) const;
  /// Returns the absolute value that a fraction `share` of the points does not exceed.
  double quantile(double share) const;
};

/// Whether the grid reaches a plane: the plane lies between the outermost points, or within half a spacing of a single
/// one.
bool reaches(const MapGrid& grid, MapAxis axis, double coordinate);

/// Returns the plane at a coordinate of an axis that the grid reaches, by linear interpolation between the adjacent
/// planes of points.
MapPlane plane_of(const PotentialMap& map, MapAxis axis, double coordinate);

}  // namespace dropmd

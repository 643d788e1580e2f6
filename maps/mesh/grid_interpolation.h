#pragma once

#include <span>

#include "core/execution.h"
#include "maps/map_model.h"
#include "maps/mesh/grid_weights.h"

namespace dropmd {

/// Interpolates the potential on a mesh at the points of a map and, if the values have one, its field. A tensor product
/// of sums over the P points of each axis: planes of the mesh are combined for each plane of the map, then lines for
/// each row of that plane, then points for each point of that row, so that a point costs P multiply-adds and not P³.
class GridInterpolation {
 public:
  GridInterpolation(const MapGrid& grid, const MeshBox& box, int order)
      : grid_(grid), box_(box), order_(order), weights_(grid, box, order) {}

  /// Adds scale times the potential to values.potential and, unless it is empty, scale times −∇ of it to values.field.
  /// mesh: [n_x][n_y][at least n_z] of the box. Results do not depend on the number of threads.
  void add(Cpu cpu, std::span<const double> mesh, double scale, MapValues& values) const;

 private:
  MapGrid grid_;
  MeshBox box_;
  int order_;
  GridWeights weights_;
};

}  // namespace dropmd

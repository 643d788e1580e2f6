#pragma once

#include <cstddef>
#include <vector>

#include "core/run/map_grid.h"
#include "forces/mesh/mesh_box.h"

namespace dropmd {

/// The B-splines of the points of a map along one axis. The points form a grid, so the splines of the three axes are
/// all that interpolation from a mesh needs.
struct AxisWeights {
  std::vector<int> first;      ///< [n] index of the first of the P points of the mesh
  std::vector<double> weight;  ///< [n][P]
  /// [n][P] derivatives of the weights with respect to the coordinate, 1/length.
  std::vector<double> slope;
};

/// The B-splines of the points of a map, for interpolation from a mesh with splines of order P.
struct GridWeights {
  AxisWeights x, y, z;

  /// All points of the grid must be within the box, as far from its faces as the order requires.
  GridWeights(const MapGrid& grid, const MeshBox& box, int order);
};

}  // namespace dropmd

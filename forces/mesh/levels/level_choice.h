#pragma once

#include <cstddef>
#include <limits>

#include "forces/mesh/levels/charge_extents.h"
#include "forces/mesh/mesh_parameters.h"

namespace dropmd {

/// Two nested meshes: a fine one for a part of the charges, and, for these and others around them, a coarse one whose
/// spacing and cutoff are s times as long.
struct LevelChoice {
  double ratio = 0;  ///< s; 0: none
  /// Indices of the extents of the fine and the coarse mesh.
  std::size_t fine = 0, coarse = 0;
  double cost = std::numeric_limits<double>::infinity();  ///< without the pairs within the cutoff
};

/// Returns the choice of least cost, which is that of the points of both meshes, the charges on them, and direct pairs:
/// within s cutoffs for charges outside of the fine mesh, at any distance for those outside of the coarse mesh.
LevelChoice cheapest_levels(const ChargeExtents& charges, const MeshParameters& parameters, const MeshPrices& prices);

}  // namespace dropmd

#pragma once

#include <cstddef>
#include <limits>

#include "forces/mesh/levels/charge_extents.h"
#include "forces/mesh/mesh_parameters.h"

namespace dropmd {

/// Two nested meshes: a fine one for a part of the charges, and a coarse one whose spacing and cutoff are s times as
/// long for these and others around.
struct LevelChoice {
  double ratio = 0;  ///< s; 0: none
  /// Indices of the extents of the fine and the coarse mesh.
  std::size_t fine = 0, coarse = 0;
  double cost = std::numeric_limits<double>::infinity();  ///< without the pairs within the cutoff
};

/// Returns the choice of least cost: points of both meshes, charges on them, and direct pairs of charges outside of the
/// fine mesh, within s cutoffs, or of the coarse mesh, at any distance.
LevelChoice cheapest_levels(const ChargeExtents& charges, const MeshParameters& parameters, const MeshPrices& prices);

}  // namespace dropmd

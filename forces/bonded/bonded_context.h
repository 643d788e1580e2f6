#pragma once

#include <span>

#include "forces/bonded/cmap/cmap_map.h"

namespace dropmd {

/// What the potentials of bonded terms are made from besides the parameters of the term itself.
struct BondedContext {
  double coulomb_constant = 0;      ///< k_e, energy length/charge²
  std::span<const CmapMap> maps{};  ///< of Topology::cmap_grids, in the memory of the processor that evaluates them
};

}  // namespace dropmd

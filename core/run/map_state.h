#pragma once

#include <cstdint>
#include <vector>

#include "core/run/map_grid.h"

namespace dropmd {

/// What the potential maps of a run so far pass on to later ones.
struct MapState {
  MapGrid grid{};             ///< the grid, which all maps of a run share
  std::vector<double> sum{};  ///< [n_points] sum of the potentials; empty if no average is wanted
  std::uint64_t frames = 0;   ///< number of maps in the sum
};

}  // namespace dropmd

#pragma once

#include <cstdint>
#include <vector>

#include "core/run/map_grid.h"

namespace dropmd {

/// What the potential maps of a run so far leave to those after them.
struct MapState {
  MapGrid grid{};             ///< of all of them
  std::vector<double> sum{};  ///< [n_points] of their potentials; empty where no average is wanted
  std::uint64_t frames = 0;   ///< in the sum
};

}  // namespace dropmd

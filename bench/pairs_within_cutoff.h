#pragma once

#include <cstddef>

#include "core/execution.h"
#include "maps/map_model.h"

namespace dropmd {

/// Returns the number of pairs of a charged atom and a grid point closer than the cutoff. Up to `most` atoms are
/// counted row by row; of more atoms every n-th is counted, about `most` in all, and the result is multiplied by n.
double map_pairs_within_cutoff(Cpu cpu, const MapGrid& grid, MapCharges charges, double cutoff,
                               std::size_t most = 200'000);

}  // namespace dropmd

#pragma once

#include <cstddef>

#include "core/execution.h"
#include "maps/map_model.h"

namespace dropmd {

/// Pairs of a charged atom and a point of the grid nearer than the cutoff: counted row by row where there are up to
/// `most` atoms, else of every n-th atom, so that about `most` are counted, times n.
double map_pairs_within_cutoff(Cpu cpu, const MapGrid& grid, MapCharges charges, double cutoff,
                               std::size_t most = 200'000);

}  // namespace dropmd

#pragma once

#include <vector>

#include "maps/designs/small_bins.h"
#include "maps/point_block.h"
#include "maps/sorted_charges.h"

/// What the CPU does for the design with large bins (docs/maps.md).
namespace dropmd {

/// Edge of a region of points, Å.
inline constexpr double kLargeBinEdge = 24;

/// A grid in regions of `edge`, of eight points along each axis at least.
PointBlocks large_bin_regions(const MapGrid& grid, double edge = kLargeBinEdge);

/// The charges of a region and its surroundings: those in the box of its points, wider by the cutoff on each side, as
/// offsets from its middle.
std::vector<BinAtom> region_charges(const SortedCharges& charges, const SpaceBox& box, double cutoff);

}  // namespace dropmd

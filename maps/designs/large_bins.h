#pragma once

#include <vector>

#include "maps/designs/small_bins.h"
#include "maps/point_block.h"
#include "maps/sorted_charges.h"

/// The CPU's part of the design with large bins (docs/maps.md).
namespace dropmd {

/// Edge of a region of points, Å.
inline constexpr double kLargeBinEdge = 24;

/// Divides a grid into regions of `edge`, of at least eight points along each axis.
PointBlocks large_bin_regions(const MapGrid& grid, double edge = kLargeBinEdge);

/// Returns the charges of a region and its surroundings: those in the box of its points, enlarged by the cutoff on each
/// side, as offsets from its middle.
std::vector<BinAtom> region_charges(const SortedCharges& charges, const SpaceBox& box, double cutoff);

}  // namespace dropmd

#pragma once

#include <filesystem>
#include <optional>

#include "core/run/map_grid.h"
#include "outputs/maps/map_atoms.h"
#include "outputs/maps/map_plane.h"

namespace dropmd {

struct SliceOptions {
  MapAxis axis = MapAxis::z;
  double coordinate = 0;          ///< of the plane on its axis
  double atom_distance = 1;       ///< atoms up to this distance from the plane are drawn
  std::optional<double> limit{};  ///< colours go from −limit to limit; none: 98% of the plane's points are within it
};

/// Throws OutputError unless write_map_slice can draw this slice: the name ends in .png, the grid reaches the plane,
/// limit and distance are sizes; to be asked before long work.
void require_map_slice(const std::filesystem::path& path, const MapGrid& grid, const SliceOptions& options);

/// Draws a slice of a map as PNG, atomically: negative potential red, positive blue, as is usual for electrostatics; a
/// colour bar, axes, and atoms near the plane by the sign of their charge. Linear between planes and points. The longer
/// side of the map has 840 pixels. Throws OutputError.
void write_map_slice(const std::filesystem::path& path, const PotentialMap& map, const MapAtoms& atoms,
                     const SliceOptions& options, bool overwrite);

}  // namespace dropmd

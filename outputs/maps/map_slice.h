#pragma once

#include <filesystem>
#include <optional>

#include "core/run/map_grid.h"
#include "outputs/maps/map_atoms.h"
#include "outputs/maps/map_plane.h"

namespace dropmd {

struct SliceOptions {
  MapAxis axis = MapAxis::z;
  double coordinate = 0;     ///< position of the plane on its axis
  double atom_distance = 1;  ///< atoms up to this distance from the plane are drawn
  /// Colours range from −limit to limit; nullopt: 98% of the plane's points are within it.
  std::optional<double> limit{};
};

/// Throws OutputError unless write_map_slice() can draw this slice: the name ends in .png, the grid reaches the plane,
/// and limit and distance are valid; to be called before long work.
void require_map_slice(const std::filesystem::path& path, const MapGrid& grid, const SliceOptions& options);

/// Draws a slice of a map as PNG, atomically: negative potential red, positive blue, as is usual for electrostatics,
/// with a colour bar, axes, and atoms near the plane by the sign of their charge. Values are interpolated linearly
/// between planes and points. The longer side of the map has 840 pixels. Throws OutputError.
void write_map_slice(const std::filesystem::path& path, const PotentialMap& map, const MapAtoms& atoms,
                     const SliceOptions& options, bool overwrite);

}  // namespace dropmd

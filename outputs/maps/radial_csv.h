#pragma once

#include <filesystem>

#include "core/run/map_grid.h"

namespace dropmd {

/// Writes the radial average of a map around `center` atomically: a comment line with units, then `r,potential,points`,
/// and a row for each shell from k·width to less than (k + 1)·width with grid points: its middle, the mean over its
/// points with 17 significant digits, and their number. Throws OutputError, also for more than a million shells.
void write_radial_csv(const std::filesystem::path& path, const PotentialMap& map, const Vec3<double>& center,
                      double width, bool overwrite);

}  // namespace dropmd

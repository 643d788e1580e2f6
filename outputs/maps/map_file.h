#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "core/run/map_grid.h"
#include "outputs/maps/map_atoms.h"

namespace dropmd {

/// Throws OutputError unless write_map_file() has a format for the name, and one that holds a field if the map has one;
/// to be called before long work.
void require_map_format(const std::filesystem::path& path, bool has_field = false);

/// Returns the extensions of the formats that write_map_file() has.
std::vector<std::string_view> map_extensions();

/// Writes a map atomically, in the format of the path's extension: .dx, .cube, .mrc, .ccp4 and .map (MRC), .vti. Only
/// .cube contains the atoms, only .vti a field. Throws OutputError, also for a value that is not finite: readers stop
/// there, or misread it.
void write_map_file(const std::filesystem::path& path, const PotentialMap& map, const MapAtoms& atoms, bool overwrite);

}  // namespace dropmd

#pragma once

#include "core/run/map_grid.h"
#include "outputs/files/file_writer.h"

namespace dropmd {

/// Writes the map as VTK ImageData (XML, raw appended binary, UInt64 headers): point arrays `potential` and, if the map
/// has one, `field` (x, y, z per point), both Float64 with all bits of the map; x fastest. FieldData has the texts
/// `title`, `potential_unit`, `length_unit` and `field_unit`.
void write_vtk_image(FileWriter& writer, const PotentialMap& map);

}  // namespace dropmd

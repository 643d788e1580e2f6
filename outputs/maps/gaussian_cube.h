#pragma once

#include "core/run/map_grid.h"
#include "outputs/files/file_writer.h"
#include "outputs/maps/map_atoms.h"

namespace dropmd {

/// Writes potential and atoms as a Gaussian cube file: lengths in Bohr if the map's are in Å, else unchanged; values in
/// the map's unit, which the first line names, z fastest, six per line, with a new line for each row of z. Columns and
/// digits (1e-6 Bohr, six digits of a value) are those of the format. Without atoms the file has one atom of no element
/// at the origin of the grid.
void write_gaussian_cube(FileWriter& writer, const PotentialMap& map, const MapAtoms& atoms);

}  // namespace dropmd

#pragma once

#include "core/run/map_grid.h"
#include "outputs/files/file_writer.h"
#include "outputs/maps/map_atoms.h"

namespace dropmd {

/// Writes potential and atoms as a Gaussian cube file: lengths in Bohr where the map's are in A, else as they are;
/// values in the map's unit, which the first line says, z fastest, six a line, a new line for each row of z. Columns
/// and digits (1e-6 Bohr, six of a value) are those of the format. Without atoms there is one of no element at the
/// origin of the grid.
void write_gaussian_cube(FileWriter& writer, const PotentialMap& map, const MapAtoms& atoms);

}  // namespace dropmd

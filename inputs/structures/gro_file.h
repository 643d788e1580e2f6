#pragma once

#include <filesystem>

#include "inputs/line_reader.h"
#include "inputs/structures/structure.h"

namespace dropmd {

/// Reads the first frame of a structure file of GROMACS (.gro): a title, the number of atoms, a line for each atom with
/// residue number and name, atom name and number, position (nm) and perhaps velocity (nm/ps), then the box. As in
/// GROMACS, the distance between the decimal points of the first atom's position is the width of all its numbers.
/// Results are in units real, unless the title says that the numbers are in units lj; the species of an atom is its
/// name. The box is left out, with a warning unless it is zero. Throws InputError with FILE:LINE:COLUMN.
Structure read_gro_file(const std::filesystem::path& path);

/// Reads one such frame, from the line after the current one. source: that of the lines.
Structure read_gro_frame(LineReader& lines, const TextSource& source);

}  // namespace dropmd

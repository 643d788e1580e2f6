#pragma once

#include <filesystem>

#include "inputs/structures/structure.h"

namespace dropmd {

/// Reads the last complete frame of an XYZ or extended XYZ file, so that a run can go on from a trajectory. Columns:
/// `Properties=` (species, pos, velocity, momenta, charge, mass and the names that other programs give them; others are
/// skipped with a warning) or, without it, `element x y z`. From the comment line: `Time`, `units`, `radius`, `title`;
/// without `Properties=` the line is the title. Periodic frames are an error. A frame behind the first that ends early,
/// even within its last line, is taken for an interrupted write and passed over with a warning; of a single frame that
/// is an error. Throws InputError with FILE:LINE:COLUMN.
Structure read_extended_xyz(const std::filesystem::path& path);

}  // namespace dropmd

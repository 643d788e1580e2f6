#pragma once

#include <filesystem>

#include "inputs/structures/structure.h"

namespace dropmd {

/// Reads the last complete frame of an XYZ or extended XYZ file, so that a run can continue from a trajectory. The
/// columns are those of `Properties=` (species, pos, velocity, momenta, charge, mass and the names that other programs
/// use for them; others are skipped with a warning) or, without it, `element x y z`. The comment line supplies `Time`,
/// `units`, `radius` and `title`; without `Properties=` the line itself is the title. Periodic frames are an error. A
/// frame after the first that ends early, even within its last line, is taken for an interrupted write and skipped with
/// a warning; a first frame that ends early is an error. Throws InputError with FILE:LINE:COLUMN.
Structure read_extended_xyz(const std::filesystem::path& path);

}  // namespace dropmd

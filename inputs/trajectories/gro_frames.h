#pragma once

#include <filesystem>
#include <memory>

#include "inputs/trajectories/trajectory_reader.h"

namespace dropmd {

/// Opens a file of one or more frames of GROMACS' text format (inputs/structures/gro_file.h), as `gmx trjconv` writes
/// it: time (ps) and step stand in the titles, "t= 0.50000 step= 250". Throws InputError.
std::unique_ptr<TrajectoryReader> open_gro_frames(const std::filesystem::path& path);

}  // namespace dropmd

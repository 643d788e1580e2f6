#pragma once

#include <filesystem>
#include <memory>

#include "inputs/trajectories/trajectory_reader.h"

namespace dropmd {

/// Opens a structure file (inputs/structures/structure_file.h) as a trajectory of one frame. Throws InputError.
std::unique_ptr<TrajectoryReader> open_single_frame(const std::filesystem::path& path);

}  // namespace dropmd

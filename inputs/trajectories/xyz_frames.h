#pragma once

#include <filesystem>
#include <memory>

#include "inputs/trajectories/trajectory_reader.h"

namespace dropmd {

/// Opens a file of one or more frames of XYZ or extended XYZ (inputs/structures/extended_xyz.h). Blank lines may follow
/// the last. Throws InputError.
std::unique_ptr<TrajectoryReader> open_xyz_frames(const std::filesystem::path& path);

}  // namespace dropmd

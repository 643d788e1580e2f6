#pragma once

#include <filesystem>
#include <optional>

#include "inputs/structures/structure.h"

namespace dropmd {

/// Which frame of a trajectory is read.
enum class FrameChoice { first, last };

/// Returns the first or the last complete frame of a trajectory, of which only that part is read that has the frame.
/// nullopt: the trajectory has no complete frame. Formats are added here; as yet it is extended XYZ (.xyz, .extxyz).
/// Throws InputError for a file that cannot be read, and for other formats.
std::optional<Structure> read_trajectory_frame(const std::filesystem::path& path, FrameChoice choice);

}  // namespace dropmd

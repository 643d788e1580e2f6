#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "outputs/trajectories/trajectory_writer.h"

namespace dropmd {

/// Returns the format of a trajectory's name, by its extension. Throws OutputError if there is none; to be called
/// before long work.
const TrajectoryFormat& trajectory_format(const std::filesystem::path& path);

/// Returns the extensions of all formats that this build has: ".xyz" first.
std::vector<std::string_view> trajectory_extensions();

}  // namespace dropmd

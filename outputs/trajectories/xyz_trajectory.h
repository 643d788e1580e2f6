#pragma once

#include "outputs/files/file_writer.h"
#include "outputs/trajectories/trajectory_writer.h"

namespace dropmd {

std::unique_ptr<TrajectoryWriter> open_xyz_trajectory(const TrajectoryTarget& target,
                                                      const TrajectoryContents& contents);
std::uint64_t xyz_frame_bytes(std::size_t n_atoms);

/// Extended XYZ (outputs/structures/extended_xyz.h): text with one frame after another, without a header of its own.
inline constexpr TrajectoryFormat kXyzTrajectory{".xyz", open_xyz_trajectory, require_mark, xyz_frame_bytes};

}  // namespace dropmd

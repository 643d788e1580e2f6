#pragma once

#include "outputs/trajectories/trajectory_writer.h"

namespace dropmd {

std::unique_ptr<TrajectoryWriter> open_gsd_trajectory(const TrajectoryTarget& target,
                                                      const TrajectoryContents& contents);
std::uint64_t gsd_frame_bytes(std::size_t n_atoms);
/// A mark counts the bytes of the arrays of all frames, and not those of the file, which the library arranges.
void require_gsd_mark(const std::filesystem::path& path, const FileMark& mark);
void require_fits_gsd(const TrajectoryTarget& target, const TrajectoryContents& contents);

/// GSD of HOOMD-blue (hoomd_frame.h). A file that a run continues is copied up to its mark, and then replaced, unless
/// there are no frames after the mark. Without the library this cannot be linked.
inline constexpr TrajectoryFormat kGsdTrajectory{".gsd", open_gsd_trajectory, require_gsd_mark, gsd_frame_bytes,
                                                 require_fits_gsd};

}  // namespace dropmd

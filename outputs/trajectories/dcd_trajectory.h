#pragma once

#include "outputs/trajectories/dcd_header.h"
#include "outputs/trajectories/trajectory_writer.h"

namespace dropmd {

std::unique_ptr<TrajectoryWriter> open_dcd_trajectory(const TrajectoryTarget& target,
                                                      const TrajectoryContents& contents);
void require_fits_dcd(const TrajectoryTarget& target, const TrajectoryContents& contents);
/// For a mark, the header's number of frames and its steps of the first and the last frame count as zero.
void require_dcd_mark(const std::filesystem::path& path, const FileMark& mark);

/// DCD of CHARMM: positions as 32-bit numbers in A, no unit cell; the header has the number of frames. Units lj are
/// written as they are. Atoms that leave the run stay where they were in the last frame (constant_atoms.h).
inline constexpr TrajectoryFormat kDcdTrajectory{".dcd", open_dcd_trajectory, require_dcd_mark, dcd_frame_bytes,
                                                 require_fits_dcd};

}  // namespace dropmd

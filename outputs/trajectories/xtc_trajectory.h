#pragma once

#include "outputs/files/file_writer.h"
#include "outputs/trajectories/trajectory_writer.h"

namespace dropmd {

std::unique_ptr<TrajectoryWriter> open_xtc_trajectory(const TrajectoryTarget& target,
                                                      const TrajectoryContents& contents);
std::uint64_t xtc_frame_bytes(std::size_t n_atoms);
void require_fits_xtc(const TrajectoryTarget& target, const TrajectoryContents& contents);

/// XTC of GROMACS: positions on a grid of 0.001 nm, compressed; times in ps, no box. Units lj are written as they are.
/// Atoms that leave the run stay where they were in the last frame (constant_atoms.h). Without the library of the codec
/// this cannot be linked.
inline constexpr TrajectoryFormat kXtcTrajectory{".xtc", open_xtc_trajectory, require_mark, xtc_frame_bytes,
                                                 require_fits_xtc};

}  // namespace dropmd

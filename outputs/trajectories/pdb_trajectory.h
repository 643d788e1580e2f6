#pragma once

#include "outputs/files/file_writer.h"
#include "outputs/trajectories/trajectory_writer.h"

namespace dropmd {

std::unique_ptr<TrajectoryWriter> open_pdb_trajectory(const TrajectoryTarget& target,
                                                      const TrajectoryContents& contents);
std::uint64_t pdb_frame_bytes(std::size_t n_atoms);

/// PDB: text with a MODEL for each frame, positions with three decimals in A. Units lj are written as they are. Atom
/// numbers are ids. Numbers with more digits than their columns keep the last ones.
inline constexpr TrajectoryFormat kPdbTrajectory{".pdb", open_pdb_trajectory, require_mark, pdb_frame_bytes};

}  // namespace dropmd

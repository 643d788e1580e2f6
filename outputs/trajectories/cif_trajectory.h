#pragma once

#include "outputs/files/file_writer.h"
#include "outputs/trajectories/trajectory_writer.h"

namespace dropmd {

std::unique_ptr<TrajectoryWriter> open_cif_trajectory(const TrajectoryTarget& target,
                                                      const TrajectoryContents& contents);
std::uint64_t cif_frame_bytes(std::size_t n_atoms);

/// mmCIF: text with one loop of _atom_site, in which each frame is a model; positions with four decimals in A. Atom
/// numbers are ids. Units lj are written as they are. A comment before a frame, which other programs ignore, has its
/// step, number of atoms and time (ps), "# step= 250 atoms= 1500 t= 0.5"; the first lines of the file say its units.
inline constexpr TrajectoryFormat kCifTrajectory{".cif", open_cif_trajectory, require_mark, cif_frame_bytes};

}  // namespace dropmd

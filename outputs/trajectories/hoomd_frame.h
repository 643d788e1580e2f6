#pragma once

#include "outputs/trajectories/gsd_file.h"
#include "outputs/trajectories/trajectory_writer.h"

namespace dropmd {

#if DROPMD_HAS_GSD

/// The arrays of a frame in the schema of HOOMD-blue, in the order in which they are written.
inline const std::vector<const char*> kHoomdNames{"configuration/step", "configuration/box",  "particles/N",
                                                  "particles/types",    "particles/typeid",   "particles/mass",
                                                  "particles/charge",   "particles/position", "particles/velocity",
                                                  "log/time",           "log/particles/id",   "log/units"};

/// Returns the arrays of a frame: numbers of 32 bits in the run's units. The box is a cube around the origin whose edge
/// is the least power of two with which it holds all atoms. ids: whether it has log/particles/id.
GsdFrame hoomd_frame(const TrajectoryFrame& frame, bool ids);

/// Returns the array with which the first frame says the units of all frames: the letters of "real" or "lj".
GsdChunk units_chunk(const Units& units);

/// Leaves out of a frame what the schema takes from the first frame: arrays that are the same there, for as many atoms.
void drop_repeated(GsdFrame& frame, const GsdFrame& first);

#endif

}  // namespace dropmd

#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "core/units.h"
#include "inputs/trajectories/trajectory_reader.h"

namespace dropmd {

/// Opens a GSD file of HOOMD-blue's schema: types, positions, velocities, charges and masses; dropmd adds times
/// (log/time), ids (log/particles/id) and, in the first frame, units (log/units). What a frame leaves out is as in the
/// first one, or the schema's default, as the schema prescribes. If the file does not say its units, they are those
/// given, or unknown. The box is ignored. Throws InputError; in a build without the GSD library, for every file.
std::unique_ptr<TrajectoryReader> open_gsd_frames(const std::filesystem::path& path, std::optional<UnitSystem> units);

}  // namespace dropmd

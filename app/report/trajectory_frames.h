#pragma once

#include <filesystem>
#include <optional>

#include "core/units.h"
#include "inputs/structures/structure.h"

namespace dropmd {

/// Which frame of a trajectory is read.
enum class FrameChoice { first, last };

/// Returns the first or the last complete frame of a trajectory; nullopt: it has none. For the last one the file is
/// read through twice. units: those of formats that do not say them. Throws InputError for a file that cannot be read
/// or whose first frame is not complete, and for a format without a reader.
std::optional<Structure> read_trajectory_frame(const std::filesystem::path& path, FrameChoice choice, UnitSystem units);

}  // namespace dropmd

#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "core/units.h"
#include "inputs/trajectories/trajectory_reader.h"

namespace dropmd {

/// Opens an XTC file of GROMACS: positions in nm on a grid, compressed for more than nine atoms, steps and times in ps.
/// The file names neither atoms nor species, so all are X. Values become those of units real; with units lj they are
/// taken as they are. A box is left out, with a warning. Throws InputError.
std::unique_ptr<TrajectoryReader> open_xtc_frames(const std::filesystem::path& path, std::optional<UnitSystem> units);

}  // namespace dropmd

#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "core/units.h"
#include "inputs/trajectories/trajectory_reader.h"

namespace dropmd {

/// Opens a DCD file of CHARMM, X-PLOR, NAMD, OpenMM, LAMMPS and others, of either byte order, with or without a unit
/// cell, a fourth dimension and fixed atoms. Positions are in Å. The file names neither atoms nor species, so all are
/// X. The header has the step of the first frame, the steps between frames and the timestep in units of 48.88821 fs,
/// from which the time follows; programs that know none of them write 1 for all. The number of frames in the header is
/// ignored, since killed programs leave 0. A title of dropmd says the units; otherwise they are those given, or real. A
/// cell is left out, with a warning. Throws InputError.
std::unique_ptr<TrajectoryReader> open_dcd_frames(const std::filesystem::path& path, std::optional<UnitSystem> units);

}  // namespace dropmd

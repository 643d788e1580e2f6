#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "core/units.h"
#include "inputs/trajectories/trajectory_reader.h"

namespace dropmd {

/// Opens a PDB file (inputs/structures/pdb_file.h) with one or more models, each of which is a frame. ENDMDL or END
/// ends a model, and so does the MODEL record of the next one. Its TITLE may give time (ps) and step as GROMACS writes
/// them, "t= 0.50000 step= 250". units: real, unless a run in units lj wrote the file, whose numbers are then those of
/// the run. Throws InputError.
std::unique_ptr<TrajectoryReader> open_pdb_frames(const std::filesystem::path& path, std::optional<UnitSystem> units);

}  // namespace dropmd

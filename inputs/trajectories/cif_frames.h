#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "core/units.h"
#include "inputs/trajectories/trajectory_reader.h"

namespace dropmd {

/// Opens an mmCIF file (inputs/structures/cif_file.h): each model of its loop of _atom_site is a frame. If items or
/// atoms share lines, or the loop does not say models, the file is one frame. A comment before a frame may give step,
/// number of atoms and time (ps), "# step= 250 atoms= 1500 t= 0.5", and a comment before the loop the units,
/// "# units: lj", in which case times are in these units; in files with both, _atom_site.id is an atom's id. units:
/// those of files that do not say them; nullopt: real. Throws InputError.
std::unique_ptr<TrajectoryReader> open_cif_frames(const std::filesystem::path& path, std::optional<UnitSystem> units);

}  // namespace dropmd

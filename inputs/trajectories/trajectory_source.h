#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/units.h"
#include "inputs/trajectories/trajectory_reader.h"

namespace dropmd {

/// Opens a trajectory in the format that the path's extension names, or a structure as its only frame. units: those of
/// files that do not say them (.xtc, .pdb, .dcd and mmCIF of other programs); nullopt: real. Throws InputError, also
/// for an extension without a format.
std::unique_ptr<TrajectoryReader> open_frames(const std::filesystem::path& path,
                                              std::optional<UnitSystem> units = std::nullopt);

/// Whether open_frames() has a format for the path's extension.
bool has_frames_format(const std::filesystem::path& path);

/// Returns the extensions that open_frames() knows, for messages: ".xyz, .extxyz, ...".
std::string frames_extensions();

}  // namespace dropmd

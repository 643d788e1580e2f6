#pragma once

#include <filesystem>
#include <string>

#include "inputs/structures/structure.h"

namespace dropmd {

/// Reads a structure in the format of the path's extension: .drop (droplet file), .xyz or .extxyz (extended XYZ).
/// Throws InputError, also for an extension without a format.
Structure read_structure_file(const std::filesystem::path& path);

/// Whether read_structure_file has a format for the path's extension.
bool has_structure_format(const std::filesystem::path& path);

/// The extensions that read_structure_file knows, for messages: ".drop, .xyz, .extxyz".
std::string structure_extensions();

}  // namespace dropmd

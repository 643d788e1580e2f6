#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "inputs/structures/structure.h"

namespace dropmd {

/// Reads a structure in the format that the path's extension names: .drop (droplet file), .xyz or .extxyz (extended
/// XYZ), .gro (GROMACS), .pdb or .ent (PDB), .cif or .mmcif (mmCIF). Throws InputError, also for an extension without a
/// format.
Structure read_structure_file(const std::filesystem::path& path);

/// Whether read_structure_file() has a format for the path's extension.
bool has_structure_format(const std::filesystem::path& path);

/// Returns the remedy "; or topology = ..." for what a run of a structure lacks, if the path's extension is that of a
/// format for molecules; else an empty text.
std::string_view topology_remedy(const std::filesystem::path& path);

/// Returns the extensions that read_structure_file() knows, for messages: ".drop, .xyz, .extxyz, ...".
std::string structure_extensions();

}  // namespace dropmd

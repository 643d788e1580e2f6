#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/run/topology_settings.h"
#include "core/topology/molecular_model.h"

namespace dropmd {

/// Reads a topology in the format that the extension of the settings' file names: .top (GROMACS) or .xml (a System of
/// OpenMM). Throws InputError, also for an extension without a format.
MolecularModel read_topology_file(const TopologySettings& settings);

/// Returns the files from which read_topology_file() reads: the topology, and those that it includes.
std::vector<std::filesystem::path> topology_files(const TopologySettings& settings);

/// Whether read_topology_file() has a format for the path's extension.
bool has_topology_format(const std::filesystem::path& path);

/// Returns the extensions that read_topology_file() knows, for messages.
std::string topology_extensions();

/// Returns the remedy for a file that has no topology format: "(known: ...)" or, for a file of another program, how to
/// get a topology from it.
std::string topology_format_remedy(const std::filesystem::path& path);

}  // namespace dropmd

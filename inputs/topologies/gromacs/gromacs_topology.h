#pragma once

#include <filesystem>
#include <vector>

#include "core/topology/molecular_model.h"
#include "inputs/topologies/gromacs/gromacs_options.h"

namespace dropmd {

/// Reads a topology of GROMACS (.top) with all files that it includes, in units `real`. The format is that of the
/// GROMACS 2022 reference manual, "Topology file formats"; of the interaction functions in the manual's table it knows
/// those that dropmd's bonded terms have. Throws InputError with "FILE:LINE:COLUMN: message" and, for an included file,
/// with the places of the #include lines.
MolecularModel read_gromacs_topology(const std::filesystem::path& path, const GromacsOptions& options);

/// Returns the topology and the files that it includes, as far as they can be read.
std::vector<std::filesystem::path> files_of_gromacs_topology(const std::filesystem::path& path,
                                                             const GromacsOptions& options);

}  // namespace dropmd

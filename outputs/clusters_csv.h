#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace dropmd {

/// A row of the table of clusters.
struct ClusterRow {
  std::uint32_t molecule;    ///< id of the molecule
  std::uint32_t first_atom;  ///< number of its first atom, from 1
  std::uint32_t cluster;     ///< number of its cluster by size, from 1: the droplet
};

/// Writes a CSV file with the columns molecule, first_atom and cluster. Throws OutputError, also for a file that exists
/// without `overwrite`.
void write_clusters_csv(const std::filesystem::path& path, std::span<const ClusterRow> rows, bool overwrite);

}  // namespace dropmd

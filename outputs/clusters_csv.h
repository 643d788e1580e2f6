#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "core/run/droplet_rows.h"
#include "core/units.h"

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

/// What a file says about its atoms. What it does not say is left out of tables.
struct KnownOfAtoms {
  bool charge = false, mass = false;
};

/// A row of the table of a trajectory's frames: the droplet in a frame. Units are the trajectory's.
struct FrameRow {
  std::size_t frame = 0;       ///< number of the frame, from 1
  std::optional<double> time;  ///< nullopt: the frame has none
  DropletRow droplet;          ///< clusters, molecules, atoms, charge, mass, centre, radius, gyration
};

/// Writes a CSV file with these columns below a line with the units; what is not known is empty. Throws as
/// write_clusters_csv().
void write_frames_csv(const std::filesystem::path& path, std::span<const FrameRow> rows, KnownOfAtoms known,
                      const Units& units, bool overwrite);

}  // namespace dropmd

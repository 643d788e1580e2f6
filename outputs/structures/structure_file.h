#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "core/particles.h"
#include "core/topology/atom_names.h"
#include "core/units.h"

namespace dropmd {

/// A structure to be written, as a view of data that others own. Unknown properties are left out: velocities, masses
/// and charges that the particles do not have, and units, step and time.
struct StructureView {
  const Particles& particles;
  const Units* units = nullptr;
  std::string_view title{};
  /// Nullopt: a droplet file gets the distance of the outermost atom from the origin.
  std::optional<double> radius{};
  std::optional<std::int64_t> step{};
  std::optional<double> time{};
  /// Names of atoms and residues, for formats that have them; null: atoms have the name of their species.
  const AtomNames* names = nullptr;
  /// Decimals of positions in a .gro file; nullopt: kGroDecimals. Other formats keep every digit.
  std::optional<int> gro_decimals{};
};

/// Throws OutputError unless write_structure_file() has a format for the name; to be called before long work.
void require_structure_format(const std::filesystem::path& path);

/// Returns the extensions of the formats that write_structure_file() has: ".drop", ".xyz" and ".gro".
std::vector<std::string_view> written_structure_extensions();

/// Returns what the format of the path's extension cannot store: "velocities, masses and species"; empty: nothing.
std::string_view structure_format_drops(const std::filesystem::path& path);

/// Writes a structure atomically, in the format of the path's extension: .drop, .xyz or .gro. Throws OutputError.
void write_structure_file(const std::filesystem::path& path, const StructureView& structure, bool overwrite);

}  // namespace dropmd

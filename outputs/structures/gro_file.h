#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/particles.h"
#include "core/topology/atom_names.h"
#include "core/units.h"
#include "outputs/files/file_writer.h"

namespace dropmd {

/// The first line of a GRO file, which also says so if numbers are in units lj.
struct GroTitle {
  std::string_view text{};
  std::optional<double> time{};  ///< in the run's unit of time
  std::optional<std::int64_t> step{};
};

/// Decimals of positions in nm, unless others are asked for.
inline constexpr int kGroDecimals = 6;

/// Writes a structure file of GROMACS: positions with this many decimals (nm), velocities with one more (nm/ps) if the
/// particles have them, and a box of zeros. Columns are wider than those of GROMACS if numbers need it; readers find
/// their width from the distance between the decimal points. units: those of the particles; null: real. Units lj are
/// written as they are. names: those of all atom numbers; null: atoms have the name of their species, and each is a
/// residue of that name. Names are cut to five characters, numbers have their last five digits, and line ends in the
/// title become spaces.
void write_gro(FileWriter& writer, const GroTitle& title, const Units* units, const Particles& particles,
               const AtomNames* names, int decimals = kGroDecimals);

}  // namespace dropmd

#pragma once

#include <cstdint>
#include <optional>

#include "core/particles.h"
#include "core/units.h"
#include "outputs/files/file_writer.h"

namespace dropmd {

/// The properties of a frame besides its atoms; unknown ones are left out.
struct FrameHeader {
  std::optional<std::int64_t> step{};
  std::optional<double> time{};
  std::optional<double> radius{};  ///< radius of the droplet
  /// Whether to write a column `id`, in runs from which atoms leave or to which they are added.
  bool ids = false;
};

/// Estimated bytes of an atom of a frame, with all columns at 17 digits.
inline constexpr std::uint64_t kXyzBytesPerAtom = 190;

/// Appends one frame of extended XYZ (as defined by libAtoms/extxyz) and flushes it. Species and positions come first,
/// where readers of plain XYZ expect them, then the velocities, charges and masses that the particles have: with
/// OVITO's names (velo, Charge, mass), which dropmd reads, as the shortest decimals that reproduce the same doubles;
/// and with ASE's names (momenta, initial_charges, masses), so that get_velocities(), get_initial_charges() and
/// get_masses() find them. No name serves both programs; a lower-case `charge` beside initial_charges is an error in
/// ASE 3.22. In units real momenta are in ASE's units, with nine digits. units: null if the file names none.
void write_frame(FileWriter& writer, const Particles& particles, const Units* units, const FrameHeader& header);

}  // namespace dropmd

#pragma once

#include <cstdint>
#include <optional>

#include "core/particles.h"
#include "core/units.h"
#include "outputs/files/file_writer.h"

namespace dropmd {

/// What a frame says beside its atoms; what is not known is left out.
struct FrameHeader {
  std::optional<std::int64_t> step{};
  std::optional<double> time{};
  std::optional<double> radius{};  ///< the droplet's
  bool ids = false;                ///< with a column `id`: of a run in which atoms leave or are added
};

/// Appends one frame of extended XYZ (as defined by libAtoms/extxyz) and flushes it. Species and positions come first,
/// where readers of plain XYZ expect them, then what the particles have of velocities, charges and masses: under
/// OVITO's names (velo, Charge, mass), which dropmd reads, as shortest decimals that give the same doubles back; and
/// under ASE's (momenta, initial_charges, masses), so that get_velocities(), get_initial_charges() and get_masses()
/// find them. No name serves both programs; `charge` in small letters beside initial_charges is an error in ASE 3.22.
/// Momenta are in ASE's units in units real, to nine digits. units null: the file says none.
void write_frame(FileWriter& writer, const Particles& particles, const Units* units, const FrameHeader& header);

}  // namespace dropmd

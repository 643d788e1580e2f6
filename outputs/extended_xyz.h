#pragma once

#include <cstdint>
#include <optional>

#include "core/particles.h"
#include "core/units.h"
#include "outputs/file_writer.h"

namespace dropmd {

/// What a frame says beside its atoms.
struct FrameHeader {
  std::int64_t step = 0;
  double time = 0;
  std::optional<double> radius{};  ///< the droplet's
  bool masses = false;             ///< add a mass column: with it a run can go on from the frame
};

/// Appends one frame of extended XYZ (as defined by libAtoms/extxyz) and flushes it: columns species, pos, velocity,
/// charge and, if asked for, mass; shortest decimals that give the same doubles back. Species and positions come first,
/// where readers of plain XYZ expect them.
void write_frame(FileWriter& writer, const Particles& particles, const Units& units, const FrameHeader& header);

}  // namespace dropmd

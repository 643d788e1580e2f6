#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.h"
#include "inputs/trajectories/binary_input.h"

namespace dropmd {

/// A record of Fortran: its length, its bytes, its length.
inline constexpr std::uint64_t kDcdMarkBytes = 4;

/// What stands before the frames of a DCD file.
struct DcdPreamble {
  bool swapped = false;         ///< the byte order is not the processor's
  std::uint32_t n_atoms = 0;    ///< at least 1
  std::int32_t first_step = 0;  ///< of the first frame
  std::int32_t every = 0;       ///< steps between frames
  double timestep = 0;          ///< in AKMA units of time, or in the run's for units lj; finite
  bool has_cell = false, has_fourth_dimension = false;
  std::vector<std::uint32_t> free_atoms;  ///< indices of those in all frames but the first, ascending; empty: all
  std::optional<UnitSystem> units;        ///< as dropmd's title says; nullopt: the file is of another program
  std::string title;
};

/// Reads a record, whose two lengths must agree. what: for messages, "the title". Throws InputError.
void read_dcd_record(BinaryInput& file, bool swapped, std::string_view what, std::vector<char>& bytes);

/// Throws InputError.
DcdPreamble read_dcd_preamble(BinaryInput& file);

}  // namespace dropmd

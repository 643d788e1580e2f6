#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inputs/line_reader.h"
#include "inputs/structures/structure.h"

/// One frame of an XYZ or extended XYZ file.
namespace dropmd {

struct XyzFrame {
  Structure structure;
  std::optional<std::int64_t> step;
  std::vector<std::uint32_t> ids;  ///< [n_atoms] in the run that wrote it; 0: not such an id; empty: none are given
};

/// Reads the number of atoms, which must be alone on the current line. n_before: number of atoms of the previous frame,
/// 0 if there is none.
std::size_t read_xyz_atom_count(LineReader& lines, std::size_t n_before);

/// Reads comment and atoms of a complete frame. lines: at the line with the number of atoms. Throws InputError.
XyzFrame read_xyz_frame(LineReader lines, std::size_t n_atoms, const std::string& file);

}  // namespace dropmd

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/vec3.h"

namespace dropmd {

/// What precedes the compressed coordinates of a frame.
struct XtcCompression {
  float precision;                 ///< grid points per nm
  std::int32_t least[3], most[3];  ///< bounds of the coordinates, in grid points
  std::uint32_t small;             ///< of the first offset: an index into the format's table of sizes
};

/// The least number of bits of an atom.
inline constexpr std::size_t kXtcBitsPerAtom = 1;

/// Decompresses the coordinates of n atoms, in nm. In the compression of GROMACS' xdrfile library, they are integers on
/// a grid, written as offsets from the least ones or as small offsets from the atom before; the three numbers of an
/// atom are packed into as few bits as their ranges need. Returns nullopt for bytes that no program writes, whatever
/// they are.
std::optional<std::vector<Vec3<double>>> xtc_coordinates(const XtcCompression& compression, std::span<const char> bytes,
                                                         std::size_t n_atoms);

}  // namespace dropmd

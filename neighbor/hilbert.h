#pragma once

#include <cstdint>

#include "neighbor/cells/cell_index.h"

namespace dropmd {

/// Returns the position of a cell on the Hilbert curve through a cube with 2²¹ cells per edge; coordinates must be
/// below 2²¹. Neighbours on the curve share a face, so sections of it are more compact than those of the Morton curve.
/// After J. Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707, 381 (2004).
DROPMD_HOST_DEVICE inline std::uint64_t hilbert_key(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  constexpr std::uint32_t kTop = 1U << 20U;
  std::uint32_t a[3] = {x, y, z};
  for (std::uint32_t bit = kTop; bit > 1; bit >>= 1U) {  // undoes reflections and exchanges of axes
    const std::uint32_t below = bit - 1;
    for (std::uint32_t& axis : a) {
      const std::uint32_t exchanged = (axis & bit) != 0 ? 0 : (a[0] ^ axis) & below;
      a[0] ^= (axis & bit) != 0 ? below : exchanged;
      axis ^= exchanged;
    }
  }
  a[1] ^= a[0];  // Gray code
  a[2] ^= a[1];
  std::uint32_t flipped = 0;
  for (std::uint32_t bit = kTop; bit > 1; bit >>= 1U)
    if ((a[2] & bit) != 0) flipped ^= bit - 1;
  return spread_bits(a[0] ^ flipped) << 2U | spread_bits(a[1] ^ flipped) << 1U | spread_bits(a[2] ^ flipped);
}

}  // namespace dropmd

#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "neighbor/local_atoms.h"
#include "neighbor/tile.h"

namespace dropmd {

/// Launch shape of the kernels over pair lists: a warp each of a tile's quads.
template <class Real>
struct ListTuning {
  static constexpr int kWarps = kTileQuads;
  static constexpr int kBlocksPerSm = std::is_same_v<Real, float> ? 2 : 1;  ///< that the registers must allow
};

/// Fixed point in which a block sums the forces on the atoms that it meets, before they join the others. A slot gets at
/// most one term from each of the tile's quads; larger terms go to the sums at once.
template <class Real>
struct BlockSum;
template <>
struct BlockSum<float> {
  using Word = int;
  static constexpr float kLargest = 0x1p26F;
};
template <>
struct BlockSum<double> {
  using Word = unsigned long long;
  static constexpr double kLargest = 0x1p42;
};

/// Shared memory of a block: atoms, sums and species by slot, one warp's worth of slots for padding included; the
/// tile's own atoms and species.
template <class Real>
constexpr std::size_t list_shared_bytes(std::uint32_t slots) {
  return (slots + 32 + kTileAtoms) * (sizeof(LocalAtom<Real>) + sizeof(std::uint16_t)) +
         (slots + 32) * 3 * sizeof(typename BlockSum<Real>::Word);
}

}  // namespace dropmd

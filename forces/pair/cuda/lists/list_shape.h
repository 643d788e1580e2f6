#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "forces/pair/cuda/block_word.h"
#include "neighbor/cells/local_atoms.h"
#include "neighbor/tile.h"

namespace dropmd {

/// Launch shape of the kernels over pair lists: a warp each of a tile's clusters.
template <class Real>
struct ListTuning {
  static constexpr int kWarps = kTileClusters;
  static constexpr int kBlocksPerSm = std::is_same_v<Real, float> ? 4 : 2;  ///< that the registers must allow
};

inline constexpr std::size_t kNeighborBytes = 16;  ///< of a ListNeighbor

/// Shared memory of a block: atoms, sums and species by slot, one warp's worth of slots for padding included; the
/// tile's own atoms, their low-order parts, and their species; the item's clusters.
template <class Real>
constexpr std::size_t list_shared_bytes(std::uint32_t slots, bool one_species) {
  return (slots + 32 + 2 * kTileAtoms) * sizeof(LocalAtom<Real>) + slots / kClusterAtoms * kNeighborBytes +
         (slots + 32) * 3 * sizeof(typename BlockWord<Real>::Type) +
         (one_species ? 0 : (slots + 32 + kTileAtoms) * sizeof(std::uint16_t));
}

}  // namespace dropmd

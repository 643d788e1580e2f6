#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "forces/pair/cuda/block_word.h"
#include "neighbor/cells/local_atoms.h"
#include "neighbor/tile.h"

namespace dropmd {

/// Where the coefficients of an atom's species begin in the pair table, in the low 31 bits.
using PairTableRow = std::uint32_t;
/// The bit of a row that says that some of its coefficients are not zero.
inline constexpr int kHasVdwBit = 31;

/// Launch shape of the pair list kernels: one warp per cluster of a tile.
template <class Real>
struct ListTuning {
  static constexpr int kWarps = kTileClusters;
  /// Blocks per multiprocessor that the registers must allow.
  static constexpr int kBlocksPerSm = std::is_same_v<Real, float> ? 4 : 2;
};

inline constexpr std::size_t kNeighborBytes = 16;  ///< size of a ListNeighbor

/// Returns the shared memory of a block in bytes: atoms, sums and species by slot, with padding for one warp; the
/// tile's own atoms, their low-order parts and rows of the pair table; the item's clusters. one_species: without
/// species and rows.
template <class Real>
constexpr std::size_t list_shared_bytes(std::uint32_t slots, bool one_species) {
  return (slots + 32 + 2 * kTileAtoms) * sizeof(LocalAtom<Real>) + slots / kClusterAtoms * kNeighborBytes +
         (slots + 32) * 3 * sizeof(typename BlockWord<Real>::Type) +
         (one_species ? 0 : (slots + 32) * sizeof(std::uint16_t) + kTileAtoms * sizeof(PairTableRow));
}

}  // namespace dropmd

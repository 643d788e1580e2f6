#pragma once

#include <cstdint>

#include "neighbor/cells/cell_index.h"
#include "neighbor/displacement_check.h"
#include "sort/element.h"

/// Atoms of a GPU in cells, for pairs of neighbouring cells. Only occupied cells are stored. Atoms stand in *cell
/// order*: by the key of their cell, within it as they were. Each pair of cells belongs to one of both: to the one from
/// which the other lies at one of the offsets. In sorted cells each cell's atoms are also sorted along each of the 13
/// axes that join a cell to its neighbours (P. Gonnet, J. Comput. Chem. 28, 570, 2007), so that those of the neighbour
/// that an atom may reach come first; four atoms, a sub-cluster, share the bound.
namespace dropmd {

/// A neighbour of a cell: its atoms in cell order.
struct CellSpan {
  std::uint32_t first, count;
};

/// Where a neighbour lies; the first is the cell itself, then one for each axis.
struct CellOffset {
  CellIndex cells;
  Vec3<double> axis;  ///< unit vector to it
  double distance;    ///< of the cells' centres, in edges
};

/// The axes that join a cell to half of its 26 neighbours.
inline constexpr int kCellAxes = 13;
/// Atoms of a sub-cluster, which a warp takes together.
inline constexpr std::uint32_t kSubClusterAtoms = 4;
/// Sub-clusters of a cell that a block takes.
inline constexpr std::uint32_t kGroupSubClusters = 32;
inline constexpr std::uint32_t kCellGroupAtoms = kGroupSubClusters * kSubClusterAtoms;
/// Most atoms of a cell whose numbers within it fit a packed word.
inline constexpr std::uint32_t kMostSortedCellAtoms = 65535;
/// Bits of a cell's index along an axis that its key keeps. Cells that are 2^kCellKeyBits apart share a key: that costs
/// time, in wasted pairs, and nothing else.
inline constexpr int kCellKeyBits = 10;

/// What happened to the cells, and what the next build needs.
struct CellPairsState : SearchState {
  std::uint32_t n_cells;  ///< occupied; more than there is room for where full
  std::uint32_t longest;  ///< atoms of the fullest cell; more than there is room for where full
  std::uint64_t n_lanes;  ///< pairs that lanes compute: beside those that are candidates, what the bound of a
                          ///< sub-cluster lets in that is beyond that of the atom
};

/// The grid: cells count from the anchor.
struct CellLattice {
  Vec3<double> anchor;
  double edge, edge_inv;

  /// Of the cell that holds x, as a real: no coordinate overflows it.
  DROPMD_HOST_DEVICE Vec3<double> cell(const Vec3<double>& x) const {
    const Vec3<double> d = edge_inv * (x - anchor);
    return {floor(d.x), floor(d.y), floor(d.z)};
  }
  DROPMD_HOST_DEVICE Vec3<double> centre(const Vec3<double>& cell) const {
    return anchor + edge * (cell + Vec3<double>{0.5, 0.5, 0.5});
  }
  /// Place on a Morton curve of the lowest bits of the cell `offset` cells away.
  DROPMD_HOST_DEVICE static std::uint32_t key(const Vec3<double>& cell, const CellIndex& offset) {
    const auto bits = [](double c, std::int32_t n) {
      constexpr double kEnd = 4611686018427387904.0;  // 2^62; NaN gives a legal cell, too
      const std::int64_t i = c > -kEnd && c < kEnd ? static_cast<std::int64_t>(c) : 0;
      return spread_bits(static_cast<std::uint32_t>(i + n) & ((1U << kCellKeyBits) - 1));
    };
    return static_cast<std::uint32_t>(bits(cell.x, offset.x) | bits(cell.y, offset.y) << 1U |
                                      bits(cell.z, offset.z) << 2U);
  }
};

struct CellPairsView {
  Vec3<double>* reference;       ///< [n_atoms] positions when the cells were made, in the atoms' own order
  const CellOffset* offset;      ///< [n_offsets]
  std::uint32_t* key;            ///< [n_atoms] of the atoms' cells, in the atoms' own order
  std::uint32_t* identity;       ///< [n_atoms] 0, 1, 2, ...
  std::uint32_t* sorted_key;     ///< [n_atoms] in cell order
  std::uint32_t* storage_index;  ///< [n_atoms] of the atoms in cell order
  std::uint32_t* first;          ///< [n_atoms + 1] of each cell's atoms, and the end
  CellSpan* neighbor;            ///< [max_cells][n_offsets]
  PackedWord* word;              ///< sorted: projection and number within the cell, from first_word() on
  int* segment;                  ///< [13·max_cells + 1] where words begin
  std::uint16_t*
      end;  ///< sorted: [sub-clusters][n_offsets] how many of the neighbour's words the sub-cluster may reach
  CellPairsState* state;
  CellLattice lattice;
  double list_cutoff;  ///< cutoff + skin
  double max_move2;    ///< squared: an atom that has moved farther since makes the cells stale
  std::uint32_t n_atoms, n_offsets, max_cells;
  std::uint32_t max_atoms;   ///< of a cell
  std::uint32_t full_atoms;  ///< of a cell in a dense droplet, about
  bool sorted;

  /// Of a cell's atoms, sorted along the axis of offset o.
  DROPMD_HOST_DEVICE static std::size_t first_word(std::uint32_t o, std::uint32_t first, std::uint32_t count) {
    return std::size_t{kCellAxes} * first + std::size_t{o - 1} * count;
  }
  /// Sub-clusters of cell c are numbered from this on; some numbers are left out.
  DROPMD_HOST_DEVICE static std::uint32_t first_sub_cluster(std::uint32_t cell, std::uint32_t first) {
    return first / kSubClusterAtoms + cell;
  }
  DROPMD_HOST_DEVICE std::uint32_t groups() const { return (max_atoms + kCellGroupAtoms - 1) / kCellGroupAtoms; }
};

}  // namespace dropmd

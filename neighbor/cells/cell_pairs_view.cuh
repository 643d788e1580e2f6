#pragma once

#include <cstdint>

#include "neighbor/cells/cell_index.h"
#include "neighbor/displacement_check.h"
#include "sort/element.h"

/// The atoms on a GPU in cells, for pairs of neighbouring cells. Only occupied cells are stored. Atoms are in *cell
/// order*: sorted by the key of their cell, and within a cell in storage order. A pair of cells is processed by the one
/// from which the other lies at one of the offsets. With sorted cells each cell's atoms are also sorted along each of
/// the 13 axes that join a cell to its neighbours (P. Gonnet, J. Comput. Chem. 28, 570, 2007), so that the atoms of the
/// neighbour within the list cutoff of an atom come first; the four atoms of a sub-cluster share one bound.
namespace dropmd {

/// The atoms of a neighbouring cell, in cell order.
struct CellSpan {
  std::uint32_t first, count;
};

/// The position of a neighbour; the first is the cell itself, then there is one for each axis.
struct CellOffset {
  CellIndex cells;
  Vec3<double> axis;  ///< unit vector towards the neighbour
  double distance;    ///< between the cells' centres, in edges
};

/// Number of axes that join a cell to half of its 26 neighbours.
inline constexpr int kCellAxes = 13;
/// Atoms of a sub-cluster, which a warp processes together.
inline constexpr std::uint32_t kSubClusterAtoms = 4;
/// Sub-clusters of a cell that a block processes.
inline constexpr std::uint32_t kGroupSubClusters = 32;
inline constexpr std::uint32_t kCellGroupAtoms = kGroupSubClusters * kSubClusterAtoms;
/// Largest number of atoms of a cell whose indices in the cell fit a packed word.
inline constexpr std::uint32_t kMostSortedCellAtoms = 65535;
/// Bits of a cell's index along an axis that are kept in its key. Cells that are 2^kCellKeyBits apart share a key,
/// which only costs time for wasted pairs.
inline constexpr int kCellKeyBits = 10;

/// State of the cells, and the capacity that the next build needs.
struct CellPairsState : SearchState {
  std::uint32_t n_cells;  ///< number of occupied cells; exceeds the capacity if full
  std::uint32_t longest;  ///< atoms in the fullest cell; exceeds the capacity if full
  /// Pairs that lanes compute: the candidate pairs, and pairs that are within the bound of a sub-cluster but beyond
  /// that of the atom.
  std::uint64_t n_lanes;
};

/// The grid; cells count from the anchor.
struct CellLattice {
  Vec3<double> anchor;
  double edge, edge_inv;

  /// Returns the index of the cell that holds x, as real numbers, which no coordinate can overflow.
  DROPMD_HOST_DEVICE Vec3<double> cell(const Vec3<double>& x) const {
    const Vec3<double> d = edge_inv * (x - anchor);
    return {floor(d.x), floor(d.y), floor(d.z)};
  }
  /// Returns the centre of a cell.
  DROPMD_HOST_DEVICE Vec3<double> centre(const Vec3<double>& cell) const {
    return anchor + edge * (cell + Vec3<double>{0.5, 0.5, 0.5});
  }
  /// Returns the position, on a Morton curve of the lowest bits, of the cell that is `offset` cells away.
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

/// The cells in device memory.
struct CellPairsView {
  Vec3<double>* reference;       ///< [n_atoms] positions when the cells were built, by storage index
  const CellOffset* offset;      ///< [n_offsets]
  std::uint32_t* key;            ///< [n_atoms] keys of the atoms' cells, by storage index
  std::uint32_t* identity;       ///< [n_atoms] 0, 1, 2, ...
  std::uint32_t* sorted_key;     ///< [n_atoms] in cell order
  std::uint32_t* storage_index;  ///< [n_atoms] storage indices in cell order
  std::uint32_t* first;          ///< [n_atoms + 1] index of each cell's first atom in cell order, and the end
  CellSpan* neighbor;            ///< [max_cells][n_offsets]
  PackedWord* word;              ///< sorted: projection and index in the cell, from first_word() on
  int* segment;                  ///< [13·max_cells + 1] first word of each cell and axis
  /// Sorted: [sub-clusters][n_offsets] number of the neighbour's words within the list cutoff of the sub-cluster.
  std::uint16_t* end;
  CellPairsState* state;
  CellLattice lattice;
  double list_cutoff;  ///< cutoff + skin
  double max_move2;    ///< squared: if an atom has moved farther, the cells are stale
  std::uint32_t n_atoms, n_offsets, max_cells;
  std::uint32_t max_atoms;   ///< capacity of a cell
  std::uint32_t full_atoms;  ///< approximate number of atoms of a cell in a dense droplet
  bool sorted;

  /// Index of the first word of a cell whose atoms are sorted along the axis of offset o.
  DROPMD_HOST_DEVICE static std::size_t first_word(std::uint32_t o, std::uint32_t first, std::uint32_t count) {
    return std::size_t{kCellAxes} * first + std::size_t{o - 1} * count;
  }
  /// Index of the first sub-cluster of a cell; some indices are unused.
  DROPMD_HOST_DEVICE static std::uint32_t first_sub_cluster(std::uint32_t cell, std::uint32_t first) {
    return first / kSubClusterAtoms + cell;
  }
  DROPMD_HOST_DEVICE std::uint32_t groups() const { return (max_atoms + kCellGroupAtoms - 1) / kCellGroupAtoms; }
};

}  // namespace dropmd

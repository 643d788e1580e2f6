#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/execution.h"
#include "core/macros.h"
#include "core/vec3.h"
#include "neighbor/cells/cell_index.h"

namespace dropmd {

/// Stands for no cell.
inline constexpr std::uint32_t kNoCell = 0xFFFFFFFFU;

/// An occupied cell: the atoms [begin, end) of the spatial order.
struct Cell {
  CellIndex index{};
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// The data that lookups need, as plain pointers; the same on host and device.
struct CellGridView {
  const Cell* cells;  ///< [n_cells], in Morton order
  std::uint32_t n_cells;
  const std::uint32_t* table;  ///< [table_mask + 1], open addressing: a cell's number or kNoCell
  std::uint32_t table_mask;

  /// Returns the number of the occupied cell with that index, or kNoCell.
  DROPMD_HOST_DEVICE std::uint32_t find(const CellIndex& index) const {
    for (std::uint32_t slot = cell_hash(index) & table_mask;; slot = (slot + 1) & table_mask) {
      const std::uint32_t c = table[slot];
      if (c == kNoCell || cells[c].index == index) return c;
    }
  }
};

/// The occupied cells of a cubic grid that fills all space, and the canonical spatial order of the atoms. Memory is
/// proportional to the number of atoms, not to their extent. Cell boundaries are at multiples of the edge from the
/// anchor and do not move with the atoms.
///
/// Beyond kLargestPlainIndex a run of empty cells along an axis counts as at most 64 cells. Thus a cell holds only the
/// atoms of one cube, however far away, and the indices of cells less than 64 apart differ by their true distance. Only
/// with more than about 8 million occupied cells along an axis do indices saturate as in cell_index().
class CellGrid {
 public:
  /// position: [n_atoms][3], n_atoms < 2³² − 1; edge > 0. The result is the same for every number of threads.
  CellGrid(std::span<const Vec3<double>> position, const Vec3<double>& anchor, double edge, Cpu cpu = {});

  /// Edge of the cells, length.
  double edge() const { return edge_; }
  /// Origin of the grid.
  const Vec3<double>& anchor() const { return anchor_; }
  /// The occupied cells, in Morton order.
  std::span<const Cell> cells() const { return cells_; }
  /// order()[k] is the atom at position k of the spatial order.
  std::span<const std::uint32_t> order() const { return order_; }
  /// Returns the view for lookups; valid as long as the grid.
  CellGridView view() const {
    return {cells_.data(), static_cast<std::uint32_t>(cells_.size()), table_.data(),
            static_cast<std::uint32_t>(table_.size() - 1)};
  }

 private:
  Vec3<double> anchor_;
  double edge_;
  std::vector<std::uint32_t> order_;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> table_;
};

/// Returns a point in the middle of most atoms: the median of each coordinate over a sample of one to two thousand
/// atoms, rounded to multiples of `step`. A few distant atoms do not move it. Zero if the median is beyond 2³⁰ steps:
/// coordinates there have few digits after the point, and those of other atoms should not lose theirs.
Vec3<double> central_anchor(std::span<const Vec3<double>> position, double step);

}  // namespace dropmd

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/execution.h"
#include "core/macros.h"
#include "core/vec3.h"
#include "neighbor/cells/cell_index.h"

namespace dropmd {

inline constexpr std::uint32_t kNoCell = 0xFFFFFFFFU;

/// One occupied cell: the run [begin, end) of the spatial order.
struct Cell {
  CellIndex index{};
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// What lookups need, as plain pointers; the same on host and device.
struct CellGridView {
  const Cell* cells;  ///< [n_cells], in Morton order
  std::uint32_t n_cells;
  const std::uint32_t* table;  ///< [table_mask + 1], open addressing: a cell's number or kNoCell
  std::uint32_t table_mask;

  /// Number of the occupied cell at that index, or kNoCell.
  DROPMD_HOST_DEVICE std::uint32_t find(const CellIndex& index) const {
    for (std::uint32_t slot = cell_hash(index) & table_mask;; slot = (slot + 1) & table_mask) {
      const std::uint32_t c = table[slot];
      if (c == kNoCell || cells[c].index == index) return c;
    }
  }
};

/// The occupied cells of a cubic grid over all space, and the canonical spatial order of the atoms. Memory goes with
/// the number of atoms, not with their extent. Cells are multiples of the edge from the anchor: they do not move with
/// the atoms.
///
/// Beyond kLargestPlainIndex, empty cells that follow each other along an axis count as at most 64 there. So a cell
/// holds no atoms but those of one cube, however far, and cells less than 64 apart differ by their true distance; only
/// from some 8 million occupied cells along an axis on are indices as saturated as cell_index() has them.
class CellGrid {
 public:
  /// position: [n_atoms][3], n_atoms < 2³² − 1; edge > 0. The same for every number of threads.
  CellGrid(std::span<const Vec3<double>> position, const Vec3<double>& anchor, double edge, Cpu cpu = {});

  double edge() const { return edge_; }
  const Vec3<double>& anchor() const { return anchor_; }
  std::span<const Cell> cells() const { return cells_; }
  /// order()[k]: the atom at place k.
  std::span<const std::uint32_t> order() const { return order_; }
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

/// A place in the middle of most atoms: the median of each coordinate over a sample of one to two thousand atoms,
/// rounded to multiples of `step`. Few atoms far away do not move it. Zero where the median is beyond 2³⁰ steps:
/// coordinates there have few digits behind the point, and those of other atoms should not lose theirs.
Vec3<double> central_anchor(std::span<const Vec3<double>> position, double step);

}  // namespace dropmd

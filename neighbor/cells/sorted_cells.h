#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/execution.h"
#include "neighbor/cells/cell_frames.h"

namespace dropmd {

inline constexpr std::uint32_t kCellAxes = 13;

/// Offsets from a cell to half of its 26 neighbours, so that each pair of cells has one axis: across faces, edges,
/// corners.
inline constexpr std::array<CellIndex, kCellAxes> kCellAxis{{{1, 0, 0},
                                                             {0, 1, 0},
                                                             {0, 0, 1},
                                                             {1, 1, 0},
                                                             {1, -1, 0},
                                                             {1, 0, 1},
                                                             {1, 0, -1},
                                                             {0, 1, 1},
                                                             {0, 1, -1},
                                                             {1, 1, 1},
                                                             {1, 1, -1},
                                                             {1, -1, 1},
                                                             {1, -1, -1}}};

/// Projections are products with these vectors rather than with unit vectors, which scales lengths by this factor.
inline double cell_axis_length(std::uint32_t axis) {
  const CellIndex& a = kCellAxis[axis];
  return std::sqrt(static_cast<double>(a.x * a.x + a.y * a.y + a.z * a.z));
}

/// The atoms of each cell, sorted by their projections on the axes to occupied neighbours (P. Gonnet, J. Comput. Chem.
/// 28, 570, 2007). Keys have 16 bits of projection and 16 bits of index in one word, as Fomin (2013) packs them; if a
/// cell has more atoms than 16 bits can count, projections are sorted in full.
class SortedCells {
 public:
  /// The axis along which every cell is sorted for the pairs within it.
  static constexpr std::uint32_t kOwnAxis = 0;

  /// Throws InputError for more than about 10⁸ atoms, the limit of the sort.
  void sort(Cpu cpu, const CellGrid& grid, std::span<const CellFrame> frames, std::span<const Vec3<double>> position);

  /// Returns the cell at the end of that axis, or kNoCell.
  std::uint32_t neighbor(std::uint32_t cell, std::uint32_t axis) const { return neighbor_[cell * kCellAxes + axis]; }

  /// Returns the atoms of a cell, as indices in the cell, by ascending projection; empty if there is no neighbour along
  /// the axis.
  std::span<const std::uint32_t> order(std::uint32_t cell, std::uint32_t axis) const { return of(order_, cell, axis); }
  /// Returns their projections, relative to the centre of the cell's frame.
  std::span<const float> along(std::uint32_t cell, std::uint32_t axis) const { return of(along_, cell, axis); }
  /// Returns the largest error of a projection; infinite if unknown.
  double error(std::uint32_t cell, std::uint32_t axis) const;

  /// Bytes of host memory.
  std::uint64_t bytes() const;

 private:
  void find_neighbors(Cpu cpu, const CellGrid& grid);
  void project(Cpu cpu, const CellGrid& grid, std::span<const CellFrame> frames,
               std::span<const Vec3<double>> position);
  void sort_packed(Cpu cpu);
  void sort_in_full(Cpu cpu);

  template <class T>
  std::span<const T> of(const std::vector<T>& values, std::uint32_t cell, std::uint32_t axis) const {
    const std::size_t s = std::size_t{cell} * kCellAxes + axis;
    return {values.data() + first_key_[s], static_cast<std::size_t>(first_key_[s + 1] - first_key_[s])};
  }

  std::vector<std::uint32_t> neighbor_;  ///< [n_cells][kCellAxes]
  /// [n_cells][kCellAxes] and one more at the end; empty ranges where not sorted.
  std::vector<int> first_key_;
  std::vector<float> along_;          ///< [keys]
  std::vector<std::uint32_t> order_;  ///< [keys]
  std::vector<float> quantum_;        ///< [n_cells][kCellAxes] resolution of the sorted projections
  std::vector<double> error_;         ///< [n_cells] error of projections before sorting
};

}  // namespace dropmd

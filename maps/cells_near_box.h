#pragma once

#include <cmath>
#include <cstdint>

#include "maps/point_block.h"
#include "neighbor/cells/cell_grid.h"

namespace dropmd {

/// The cells of a map's charges, as plain pointers to host or device memory.
struct MapCells {
  CellGridView grid;
  Vec3<double> anchor;
  double edge;
};

/// The cells that contain all atoms closer than `cutoff` to a box: every grid index in that range or, if there are
/// fewer occupied cells, every occupied cell.
class CellsNearBox {
 public:
  DROPMD_HOST_DEVICE CellsNearBox(const MapCells& cells, const SpaceBox& box, double cutoff)
      : cells_(cells), box_(box), cutoff2_(cutoff * cutoff * (1 + 1e-9)) {  // faces of cells are rounded
    const double edge_inv = 1 / cells.edge;
    const Vec3<double> more{cutoff, cutoff, cutoff};
    low_ = cell_index(box.low - more - cells.anchor, edge_inv);
    const CellIndex high = cell_index(box.high + more - cells.anchor, edge_inv);
    const auto span = [](std::int32_t a, std::int32_t b) { return 1.0 + b - static_cast<double>(a); };
    const double n_indices = span(low_.x, high.x) * span(low_.y, high.y) * span(low_.z, high.z);
    // Beyond kLargestPlainIndex a cell's index is not a position.
    const auto is_plain = [](const CellIndex& c) {
      const auto is_small = [](std::int32_t k) { return k > -kLargestPlainIndex && k < kLargestPlainIndex; };
      return is_small(c.x) && is_small(c.y) && is_small(c.z);
    };
    all_ = !(is_plain(low_) && is_plain(high) && n_indices <= cells.grid.n_cells);
    n_ = all_ ? cells.grid.n_cells : static_cast<std::uint32_t>(n_indices);
    if (!all_) nx_ = high.x - low_.x + 1, ny_ = high.y - low_.y + 1;
  }

  /// Number of candidates.
  DROPMD_HOST_DEVICE std::uint32_t n() const { return n_; }

  /// Returns the number of the cell of candidate p < n(); kNoCell if it is not occupied or beyond the cutoff.
  DROPMD_HOST_DEVICE std::uint32_t operator()(std::uint32_t p) const {
    if (all_) return p;
    const CellIndex index{low_.x + static_cast<std::int32_t>(p % nx_),
                          low_.y + static_cast<std::int32_t>(p / nx_ % ny_),
                          low_.z + static_cast<std::int32_t>(p / nx_ / ny_)};
    const auto gap = [edge = cells_.edge](std::int32_t c, double anchor, double from, double to) {
      const double face = anchor + c * edge;
      return std::fmax(std::fmax(face - to, from - (face + edge)), 0.0);
    };
    const Vec3<double> d{gap(index.x, cells_.anchor.x, box_.low.x, box_.high.x),
                         gap(index.y, cells_.anchor.y, box_.low.y, box_.high.y),
                         gap(index.z, cells_.anchor.z, box_.low.z, box_.high.z)};
    return d.x * d.x + d.y * d.y + d.z * d.z > cutoff2_ ? kNoCell : cells_.grid.find(index);
  }

 private:
  const MapCells& cells_;
  const SpaceBox& box_;
  double cutoff2_;
  CellIndex low_{};
  bool all_;
  std::uint32_t n_, nx_ = 1, ny_ = 1;
};

}  // namespace dropmd

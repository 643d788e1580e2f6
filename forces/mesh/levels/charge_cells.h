#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/vec3.h"
#include "forces/mesh/cuboid.h"

namespace dropmd {

/// Charges in cubic cells, to find neighbours.
class ChargeCells {
 public:
  /// edge: of a cell, length; it is enlarged if there would be too many cells. Infinite: all charges are in one cell.
  ChargeCells(std::span<const Vec3<double>> position, std::span<const std::uint32_t> charges, double edge);

  /// Calls visit(k) for the charges in the cells that are within a range of a cuboid; k: index into `charges`.
  template <class Visit>
  void near(const Cuboid& cuboid, double range, const Visit& visit) const {
    const std::array<long long, 3> from = cell_of(cuboid.low - Vec3<double>{range, range, range}),
                                   to = cell_of(cuboid.high + Vec3<double>{range, range, range});
    for (long long x = from[0]; x <= to[0]; ++x)
      for (long long y = from[1]; y <= to[1]; ++y) {
        // The cells of a row follow each other.
        const std::size_t row = static_cast<std::size_t>((x * n_[1] + y) * n_[2]);
        for (std::uint32_t k = begin_[row + static_cast<std::size_t>(from[2])];
             k < begin_[row + static_cast<std::size_t>(to[2]) + 1]; ++k)
          visit(of_cell_[k]);
      }
  }

  /// Rows of cells along z, which follow each other along y and then x.
  std::size_t n_rows() const { return static_cast<std::size_t>(n_[0] * n_[1]); }
  /// Returns the charges of a row, as indices into `charges`.
  std::span<const std::uint32_t> row(std::size_t index) const {
    const auto n_z = static_cast<std::size_t>(n_[2]);
    const std::uint32_t first = begin_[index * n_z], last = begin_[(index + 1) * n_z];
    return std::span(of_cell_).subspan(first, last - first);
  }

 private:
  /// Returns the cell at a position, or the nearest one at the boundary.
  std::array<long long, 3> cell_of(const Vec3<double>& x) const;

  Vec3<double> low_{};
  double per_edge_ = 0;
  std::array<long long, 3> n_{1, 1, 1};
  std::vector<std::uint32_t> begin_;    ///< [n_cells + 1]
  std::vector<std::uint32_t> of_cell_;  ///< [n_charges] indices into `charges` by cell
};

}  // namespace dropmd

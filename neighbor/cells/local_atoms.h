#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/execution.h"
#include "core/vec3.h"
#include "neighbor/cells/cell_grid.h"
#include "neighbor/position_grid.h"

namespace dropmd {

/// One atom in a pair kernel: offset from its cell's origin, and charge.
template <class Real>
struct alignas(4 * sizeof(Real)) LocalAtom {
  Real x, y, z, charge;
};

/// Compact positions for pair kernels: atoms in spatial order, with positions relative to an origin per cell.
///
/// float: offsets are rounded to the position grid and exact; the vector between atoms i and j is (offset_i +
/// shift(cell of i, cell of j)) − offset_j, which is exact for near atoms. For atoms in contact the rounding of
/// positions matters (stiffness times quantum), so low_order_i − low_order_j is added to their vector;
/// CellBox::is_near() tells which cells may hold such atoms. double: origins are zero and offsets are the positions, so
/// differences are bitwise identical to those of a plain fp64 loop.
template <class Real>
struct LocalAtoms {
  std::vector<LocalAtom<Real>> atom;   ///< [n_atoms]
  std::vector<std::uint32_t> species;  ///< [n_atoms]
  std::vector<Vec3<Real>> origin;      ///< [n_cells], relative to the grid's anchor
  std::vector<Vec3<Real>> low_order;   ///< [n_atoms], float only: low-order parts of the offsets
  std::vector<std::uint8_t> is_far;    ///< [n_cells], float only: whether fp32 cannot hold the origin
  std::vector<Vec3<double>> centre;    ///< [n_cells], float only: the origin relative to (0, 0, 0)

  /// Sets all arrays. position, charge, species: [n_atoms] in the order of Particles.
  void assign(Cpu cpu, const CellGrid& grid, const PositionGrid& positions, std::span<const Vec3<double>> position,
              std::span<const double> charge, std::span<const std::uint32_t> species_of);

  /// Returns the origin of cell a less that of cell b.
  Vec3<Real> shift(std::uint32_t a, std::uint32_t b) const {
    if constexpr (std::is_same_v<Real, float>)
      if (is_far[a] != 0 || is_far[b] != 0) {
        const Vec3<double> d = squarable(centre[a] - centre[b]);
        return {static_cast<float>(d.x), static_cast<float>(d.y), static_cast<float>(d.z)};
      }
    return origin[a] - origin[b];
  }
};

/// A box of cells, in cell indices, both ends included.
struct CellBox {
  CellIndex low{}, high{};

  /// Enlarges the box to hold a cell.
  DROPMD_HOST_DEVICE void include(const CellIndex& c) {
    low = {c.x < low.x ? c.x : low.x, c.y < low.y ? c.y : low.y, c.z < low.z ? c.z : low.z};
    high = {c.x > high.x ? c.x : high.x, c.y > high.y ? c.y : high.y, c.z > high.z ? c.z : high.z};
  }

  /// Returns whether a cell is at most `cells` cells away from the box along every axis.
  DROPMD_HOST_DEVICE bool is_near(const CellIndex& c, std::int32_t cells) const {
    return c.x >= low.x - cells && c.x <= high.x + cells && c.y >= low.y - cells && c.y <= high.y + cells &&
           c.z >= low.z - cells && c.z <= high.z + cells;
  }
};

/// Returns the largest difference of any index between cells whose atoms may be within PositionGrid::near_distance.
inline std::int32_t near_cells(const PositionGrid& positions, double edge) {
  return static_cast<std::int32_t>(std::min(std::ceil(positions.near_distance / edge), kLargestCellIndex));
}

extern template struct LocalAtoms<float>;
extern template struct LocalAtoms<double>;

}  // namespace dropmd

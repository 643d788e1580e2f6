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

/// One atom of the compact pair copy: offset from its cell's origin, and charge.
template <class Real>
struct alignas(4 * sizeof(Real)) LocalAtom {
  Real x, y, z, charge;
};

/// The compact pair copy: atoms in spatial order, positions relative to an origin per cell.
///
/// float: offsets are rounded to the position grid and exact; the vector between atoms i and j is
/// (offset_i + shift(cell of i, cell of j)) − offset_j, which is exact for near atoms. Atoms in contact feel the
/// rounding of their positions (stiffness times quantum), so their vector gets low_order_i − low_order_j added:
/// is_near() says where. double: origins are zero and offsets are the positions themselves, so differences are those of
/// a plain fp64 loop, to the last bit.
template <class Real>
struct LocalAtoms {
  std::vector<LocalAtom<Real>> atom;   ///< [n_atoms]
  std::vector<std::uint32_t> species;  ///< [n_atoms]
  std::vector<Vec3<Real>> origin;      ///< [n_cells], relative to the grid's anchor
  std::vector<Vec3<Real>> low_order;   ///< [n_atoms], float only: the low-order parts of the offsets
  std::vector<std::uint8_t> is_far;    ///< [n_cells], float only: fp32 does not hold the origin
  std::vector<Vec3<double>> centre;    ///< [n_cells], float only: the origin itself, from (0, 0, 0)

  /// Fills the copy. position, charge, species: [n_atoms] in file order.
  void assign(Cpu cpu, const CellGrid& grid, const PositionGrid& positions, std::span<const Vec3<double>> position,
              std::span<const double> charge, std::span<const std::uint32_t> species_of);

  /// Origin of cell a less origin of cell b.
  Vec3<Real> shift(std::uint32_t a, std::uint32_t b) const {
    if constexpr (std::is_same_v<Real, float>)
      if (is_far[a] != 0 || is_far[b] != 0) {
        const Vec3<double> d = squarable(centre[a] - centre[b]);
        return {static_cast<float>(d.x), static_cast<float>(d.y), static_cast<float>(d.z)};
      }
    return origin[a] - origin[b];
  }
};

/// A box of cells, in cell indices, ends included.
struct CellBox {
  CellIndex low{}, high{};

  DROPMD_HOST_DEVICE void include(const CellIndex& c) {
    low = {c.x < low.x ? c.x : low.x, c.y < low.y ? c.y : low.y, c.z < low.z ? c.z : low.z};
    high = {c.x > high.x ? c.x : high.x, c.y > high.y ? c.y : high.y, c.z > high.z ? c.z : high.z};
  }

  /// Whether a cell is at most `cells` cells away from the box along every axis.
  DROPMD_HOST_DEVICE bool is_near(const CellIndex& c, std::int32_t cells) const {
    return c.x >= low.x - cells && c.x <= high.x + cells && c.y >= low.y - cells && c.y <= high.y + cells &&
           c.z >= low.z - cells && c.z <= high.z + cells;
  }
};

/// Cells whose atoms may be within PositionGrid::near_distance differ by at most this in every index.
inline std::int32_t near_cells(const PositionGrid& positions, double edge) {
  return static_cast<std::int32_t>(std::min(std::ceil(positions.near_distance / edge), kLargestCellIndex));
}

extern template struct LocalAtoms<float>;
extern template struct LocalAtoms<double>;

}  // namespace dropmd

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/vec3.h"
#include "neighbor/cell_grid.h"
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
/// (offset_i + (origin_i − origin_j)) − offset_j, which is exact for near atoms. double: origins are zero and offsets
/// are the positions themselves, so differences are those of a plain fp64 loop, to the last bit.
template <class Real>
struct LocalAtoms {
  std::vector<LocalAtom<Real>> atom;   ///< [n_atoms]
  std::vector<std::uint32_t> species;  ///< [n_atoms]
  std::vector<Vec3<Real>> origin;      ///< [n_cells], relative to the grid's anchor

  /// Fills the copy; threads: of OpenMP. position, charge, species: [n_atoms] in file order.
  void assign(const CellGrid& grid, const PositionGrid& positions, std::span<const Vec3<double>> position,
              std::span<const double> charge, std::span<const std::uint32_t> species_of, int threads);
};

extern template struct LocalAtoms<float>;
extern template struct LocalAtoms<double>;

}  // namespace dropmd

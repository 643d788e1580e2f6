#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/execution.h"
#include "neighbor/cells/cell_frames.h"
#include "neighbor/cells/local_atoms.h"

namespace dropmd {

/// The pair copy of atoms in cells that they may leave a little: offsets from the centre of the cell's frame.
///
/// float: offsets are rounded to the position grid, their low-order parts are kept too (as LocalAtoms has it).
/// double: offsets are the positions, and frames do not shift.
template <class Real>
class CellAtoms {
 public:
  /// Takes over the atoms of a grid at these positions. The grid and the frames outlive their use. charge, species:
  /// [n_atoms] in file order.
  void assign(Cpu cpu, const CellGrid& grid, std::span<const CellFrame> frames, const PositionGrid& positions,
              std::span<const Vec3<double>> position, std::span<const double> charge,
              std::span<const std::uint32_t> species);

  /// Writes the offsets of new positions; false, with some unwritten, where an atom has moved further than `limit`
  /// since assign().
  bool follow(Cpu cpu, std::span<const Vec3<double>> position, double limit);

  std::span<const LocalAtom<Real>> atom() const { return atom_; }       ///< [n_atoms] in the grid's order
  std::span<const Vec3<Real>> low_order() const { return low_order_; }  ///< [n_atoms], float only
  std::span<const std::uint32_t> species() const { return species_; }   ///< [n_atoms]
  /// Origin of cell a less origin of cell b.
  Vec3<Real> shift(std::uint32_t a, std::uint32_t b) const;

 private:
  void write(std::uint32_t place, const Vec3<double>& centre, const Vec3<double>& position);

  const CellGrid* grid_ = nullptr;
  std::span<const CellFrame> frames_;
  PositionGrid positions_;
  std::vector<LocalAtom<Real>> atom_;
  std::vector<Vec3<Real>> low_order_;
  std::vector<std::uint32_t> species_;
  std::vector<Vec3<double>> assigned_;  ///< [n_atoms] positions at assign()
};

extern template class CellAtoms<float>;
extern template class CellAtoms<double>;

}  // namespace dropmd

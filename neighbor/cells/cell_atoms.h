#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/execution.h"
#include "neighbor/cells/cell_frames.h"
#include "neighbor/cells/local_atoms.h"

namespace dropmd {

/// Positions of atoms in cells that the atoms may leave by a small distance: offsets from the centre of the cell's
/// frame.
///
/// float: offsets are rounded to the position grid, and their low-order parts are kept (as in LocalAtoms). double:
/// offsets are the positions, and frames do not shift.
template <class Real>
class CellAtoms {
 public:
  /// Sets the atoms of a grid and their positions. The grid and the frames must outlive this object. charge, species:
  /// [n_atoms] in the order of Particles.
  void assign(Cpu cpu, const CellGrid& grid, std::span<const CellFrame> frames, const PositionGrid& positions,
              std::span<const Vec3<double>> position, std::span<const double> charge,
              std::span<const std::uint32_t> species);

  /// Updates the offsets for new positions. Returns false, with some offsets not updated, if an atom has moved by more
  /// than `limit` since assign().
  bool follow(Cpu cpu, std::span<const Vec3<double>> position, double limit);

  std::span<const LocalAtom<Real>> atom() const { return atom_; }       ///< [n_atoms] in the grid's order
  std::span<const Vec3<Real>> low_order() const { return low_order_; }  ///< [n_atoms], float only
  std::span<const std::uint32_t> species() const { return species_; }   ///< [n_atoms]
  /// Returns the origin of cell a less that of cell b.
  Vec3<Real> shift(std::uint32_t a, std::uint32_t b) const;

 private:
  void write(std::uint32_t index, const Vec3<double>& centre, const Vec3<double>& position);

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

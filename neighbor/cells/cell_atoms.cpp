#include "neighbor/cells/cell_atoms.h"

#include <atomic>
#include <type_traits>

#include "core/parallel_for.h"

namespace dropmd {

template <class Real>
void CellAtoms<Real>::assign(Cpu cpu, const CellGrid& grid, std::span<const CellFrame> frames,
                             const PositionGrid& positions, std::span<const Vec3<double>> position,
                             std::span<const double> charge, std::span<const std::uint32_t> species) {
  grid_ = &grid;
  frames_ = frames;
  positions_ = positions;
  const std::size_t n_atoms = grid.order().size();
  atom_.resize(n_atoms);
  low_order_.resize(std::is_same_v<Real, float> ? n_atoms : 0);
  species_.resize(n_atoms);
  assigned_.resize(n_atoms);
  parallel_for(cpu, grid.cells().size(), [&](std::size_t c) {
    const Cell& cell = grid.cells()[c];
    for (std::uint32_t k = cell.begin; k < cell.end; ++k) {
      const std::uint32_t i = grid.order()[k];
      atom_[k].charge = static_cast<Real>(charge[i]);
      species_[k] = species[i];
      assigned_[k] = position[i];
      write(k, frames[c].centre, position[i]);
    }
  });
}

template <class Real>
bool CellAtoms<Real>::follow(Cpu cpu, std::span<const Vec3<double>> position, double limit) {
  const double limit2 = limit * limit;
  std::atomic<bool> all_hold = true;
  parallel_for(cpu, grid_->cells().size(), [&](std::size_t c) {
    const Cell& cell = grid_->cells()[c];
    bool holds = all_hold.load(std::memory_order_relaxed);
    for (std::uint32_t k = cell.begin; holds && k < cell.end; ++k) {
      const Vec3<double>& x = position[grid_->order()[k]];
      const Vec3<double> moved = x - assigned_[k];
      holds = dot(moved, moved) <= limit2;  // false for NaN
      write(k, frames_[c].centre, x);
    }
    if (!holds) all_hold.store(false, std::memory_order_relaxed);
  });
  return all_hold;
}

template <class Real>
Vec3<Real> CellAtoms<Real>::shift(std::uint32_t a, std::uint32_t b) const {
  if constexpr (std::is_same_v<Real, double>) return {};
  const Vec3<double> d = squarable(frames_[a].centre - frames_[b].centre);
  return {static_cast<Real>(d.x), static_cast<Real>(d.y), static_cast<Real>(d.z)};
}

template <class Real>
void CellAtoms<Real>::write(std::uint32_t index, const Vec3<double>& centre, const Vec3<double>& position) {
  LocalAtom<Real>& atom = atom_[index];
  if constexpr (std::is_same_v<Real, float>) {
    const Vec3<double> d = squarable(position - centre);
    const auto x = positions_.split(d.x), y = positions_.split(d.y), z = positions_.split(d.z);
    atom.x = x.offset;
    atom.y = y.offset;
    atom.z = z.offset;
    low_order_[index] = {x.low_order, y.low_order, z.low_order};
  } else {
    atom.x = position.x;
    atom.y = position.y;
    atom.z = position.z;
  }
}

template class CellAtoms<float>;
template class CellAtoms<double>;

}  // namespace dropmd

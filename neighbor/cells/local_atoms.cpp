#include "neighbor/cells/local_atoms.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/parallel_for.h"
#include "neighbor/cells/cell_frames.h"

namespace dropmd {

namespace {

/// Returns the centre of a cell, relative to the grid's anchor and rounded to the grid of origins.
Vec3<double> origin_near_centre(const CellIndex& index, double edge, double step) {
  const auto rounded = [&](std::int32_t c) { return std::round((static_cast<double>(c) + 0.5) * edge / step) * step; };
  return {rounded(index.x), rounded(index.y), rounded(index.z)};
}

double largest_component(const Vec3<double>& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

}  // namespace

template <class Real>
void LocalAtoms<Real>::assign(Cpu cpu, const CellGrid& grid, const PositionGrid& positions,
                              std::span<const Vec3<double>> position, std::span<const double> charge,
                              std::span<const std::uint32_t> species_of) {
  constexpr bool kLocal = std::is_same_v<Real, float>;
  const auto order = grid.order();
  const auto cells = grid.cells();
  atom.resize(order.size());
  species.resize(order.size());
  origin.assign(cells.size(), Vec3<Real>{});
  low_order.resize(kLocal ? order.size() : 0);
  is_far.assign(kLocal ? cells.size() : 0, 0);
  centre.resize(kLocal ? cells.size() : 0);

  const double farthest = std::min(std::ldexp(positions.origin_step, 24), kLargestPlainIndex * grid.edge());
  parallel_for(cpu, cells.size(), [&](std::size_t c) {
    const Cell& cell = cells[c];
    if constexpr (kLocal) {
      const Vec3<double> o = origin_near_centre(cell.index, grid.edge(), positions.origin_step);
      origin[c] = {static_cast<float>(o.x), static_cast<float>(o.y), static_cast<float>(o.z)};
      centre[c] = grid.anchor() + o;
      if (!(largest_component(o) < farthest)) {
        is_far[c] = 1;
        centre[c] = frame_of(order.subspan(cell.begin, cell.end - cell.begin), position, positions.origin_step).centre;
      }
    }
    for (std::uint32_t k = cell.begin; k < cell.end; ++k) {
      const std::uint32_t i = order[k];
      species[k] = species_of[i];
      if constexpr (kLocal) {
        const Vec3<double> d = squarable(position[i] - centre[c]);
        const auto x = positions.split(d.x), y = positions.split(d.y), z = positions.split(d.z);
        atom[k] = {x.offset, y.offset, z.offset, static_cast<float>(charge[i])};
        low_order[k] = {x.low_order, y.low_order, z.low_order};
      } else {
        atom[k] = {position[i].x, position[i].y, position[i].z, charge[i]};
      }
    }
  });
}

template struct LocalAtoms<float>;
template struct LocalAtoms<double>;

}  // namespace dropmd

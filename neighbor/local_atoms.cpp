#include "neighbor/local_atoms.h"

#include <cmath>
#include <type_traits>

namespace dropmd {

namespace {

/// Centre of a cell, rounded to the grid of origins.
double origin_near_centre(std::int32_t index, double edge, double step) {
  return std::round((static_cast<double>(index) + 0.5) * edge / step) * step;
}

}  // namespace

template <class Real>
void LocalAtoms<Real>::assign(const CellGrid& grid, const PositionGrid& positions,
                              std::span<const Vec3<double>> position, std::span<const double> charge,
                              std::span<const std::uint32_t> species_of, int threads) {
  const auto order = grid.order();
  const auto cells = grid.cells();
  atom.resize(order.size());
  species.resize(order.size());
  origin.assign(cells.size(), Vec3<Real>{});

  [[maybe_unused]] const double quantum = positions.quantum;
  [[maybe_unused]] const double quantum_inv = 1.0 / positions.quantum;
  const auto n_cells = static_cast<std::int64_t>(cells.size());
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t c = 0; c < n_cells; ++c) {
    const Cell& cell = cells[static_cast<std::size_t>(c)];
    Vec3<double> from{};
    if constexpr (std::is_same_v<Real, float>) {
      const auto rounded = [&](std::int32_t index) {
        return static_cast<float>(origin_near_centre(index, grid.edge(), positions.origin_step));
      };
      const Vec3<float> o{rounded(cell.index.x), rounded(cell.index.y), rounded(cell.index.z)};
      origin[static_cast<std::size_t>(c)] = o;
      from = grid.anchor() + Vec3<double>{o.x, o.y, o.z};
    }
    for (std::uint32_t k = cell.begin; k < cell.end; ++k) {
      const std::uint32_t i = order[k];
      const auto local = [&](double x) {
        if constexpr (std::is_same_v<Real, float>) return static_cast<float>(std::nearbyint(x * quantum_inv) * quantum);
        return static_cast<Real>(x);
      };
      const Vec3<double> d = position[i] - from;
      atom[k] = {local(d.x), local(d.y), local(d.z), static_cast<Real>(charge[i])};
      species[k] = species_of[i];
    }
  }
}

template struct LocalAtoms<float>;
template struct LocalAtoms<double>;

}  // namespace dropmd

#include "forces/bonded/cmap/cmap_map.h"

#include <cstddef>

#include "forces/bonded/cmap/periodic_spline.h"

namespace dropmd {

namespace {

/// Returns the derivatives, per spacing, of the periodic cubic spline through values on a uniform grid:
/// f'_{i−1} + 4 f'_i + f'_{i+1} = 3 (f_{i+1} − f_{i−1}).
std::vector<double> spline_slopes(const std::vector<double>& f) {
  const std::size_t n = f.size();
  std::vector<double> right(n);
  for (std::size_t i = 0; i < n; ++i) right[i] = 3 * (f[(i + 1) % n] - f[(i + n - 1) % n]);
  return solve_periodic_spline(right);
}

/// Sets the coefficients c of c₀ + c₁ u + c₂ u² + c₃ u³ with given values and slopes at u = 0 and 1.
void set_cubic(double f0, double f1, double slope0, double slope1, double (&c)[4]) {
  c[0] = f0;
  c[1] = slope0;
  c[2] = 3 * (f1 - f0) - 2 * slope0 - slope1;
  c[3] = 2 * (f0 - f1) + slope0 + slope1;
}

void append_cells(const CmapGrid& grid, std::vector<CmapCell>& cells) {
  const std::size_t n = grid.size;
  const std::vector<double>& f = grid.energy;
  const std::vector<double> by_u = along_columns(f, n, spline_slopes), by_v = along_rows(f, n, spline_slopes);
  const std::vector<double> by_uv = along_columns(by_v, n, spline_slopes);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t row[] = {i * n, (i + 1) % n * n}, column[] = {j, (j + 1) % n};
      // A cubic along ψ on both sides of the cell, for the values and for the slopes along φ; then one along φ between
      // their coefficients.
      double value[2][4], slope[2][4];
      for (std::size_t side = 0; side < 2; ++side) {
        const std::size_t a = row[side] + column[0], b = row[side] + column[1];
        set_cubic(f[a], f[b], by_v[a], by_v[b], value[side]);
        set_cubic(by_u[a], by_u[b], by_uv[a], by_uv[b], slope[side]);
      }
      CmapCell cell;
      for (std::size_t power = 0; power < 4; ++power) {
        double c[4];
        set_cubic(value[0][power], value[1][power], slope[0][power], slope[1][power], c);
        for (std::size_t k = 0; k < 4; ++k) cell.c[k][power] = c[k];
      }
      cells.push_back(cell);
    }
}

}  // namespace

std::vector<CmapCell> cmap_cells(std::span<const CmapGrid> grids) {
  std::vector<CmapCell> cells;
  for (const CmapGrid& grid : grids) append_cells(grid, cells);
  return cells;
}

std::vector<CmapMap> cmap_maps(std::span<const CmapGrid> grids, const CmapCell* cells) {
  std::vector<CmapMap> maps;
  for (const CmapGrid& grid : grids) {
    maps.push_back({cells, grid.size});
    cells += std::size_t{grid.size} * grid.size;
  }
  return maps;
}

}  // namespace dropmd

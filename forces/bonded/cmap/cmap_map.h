#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "core/macros.h"
#include "core/topology/bonded_terms.h"

namespace dropmd {

/// Coefficients of the interpolation in one cell of a CMAP grid: the energy is Σ c[i][j] uⁱ vʲ, where u and v are the
/// positions in the cell along φ and ψ, from 0 to 1.
struct CmapCell {
  double c[4][4];  ///< energy
};

/// A CmapGrid as both processors evaluate it: the bicubic spline through its values, periodic in both angles, which has
/// continuous second derivatives (MacKerell, Feig and Brooks 2004; as in GROMACS and OpenMM).
struct CmapMap {
  const CmapCell* cell;  ///< [size of φ][size of ψ]
  std::uint32_t size;    ///< at least 1

  struct Value {
    double energy, by_phi, by_psi;  ///< energy; its derivatives, energy/rad
  };

  /// phi, psi: rad, from −π to π.
  DROPMD_HOST_DEVICE Value operator()(double phi, double psi) const {
    constexpr double kPi = std::numbers::pi;
    const double per_cell = size / (2 * kPi), x = (phi + kPi) * per_cell, y = (psi + kPi) * per_cell;
    const double first_x = std::floor(x), first_y = std::floor(y), u = x - first_x, v = y - first_y;
    const CmapCell& here = cell[wrapped(first_x) * size + wrapped(first_y)];
    Value value{0, 0, 0};
    DROPMD_UNROLL
    for (int i = 3; i >= 0; --i) {  // Horner's rule
      const double* const c = here.c[i];
      const double row = ((c[3] * v + c[2]) * v + c[1]) * v + c[0], slope = (3 * c[3] * v + 2 * c[2]) * v + c[1];
      value.by_phi = value.by_phi * u + value.energy;
      value.energy = value.energy * u + row;
      value.by_psi = value.by_psi * u + slope;
    }
    value.by_phi *= per_cell;
    value.by_psi *= per_cell;
    return value;
  }

 private:
  /// The cell with this number along one axis; π is where −π is.
  DROPMD_HOST_DEVICE std::uint32_t wrapped(double number) const {
    const double n = size;
    return number >= 0 && number < n ? static_cast<std::uint32_t>(number) : 0;
  }
};

/// Returns the cells of all grids, one grid after another.
std::vector<CmapCell> cmap_cells(std::span<const CmapGrid> grids);

/// Returns the maps of all grids. cells: the address of cmap_cells() in the memory of the processor that evaluates
/// them.
std::vector<CmapMap> cmap_maps(std::span<const CmapGrid> grids, const CmapCell* cells);

}  // namespace dropmd

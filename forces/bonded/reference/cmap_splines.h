#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

#include "core/topology/bonded_terms.h"
#include "forces/bonded/cmap/periodic_spline.h"
#include "forces/bonded/reference/dual.h"

namespace dropmd::bonded_reference {

/// CMAP grids as sums of products of cubic B-splines, Σ b_ij B(x − i) B(y − j) with x and y in spacings: the same
/// functions as those of cmap_map.h in another representation.
class CmapSplines {
 public:
  explicit CmapSplines(std::span<const CmapGrid> grids) {
    for (const CmapGrid& grid : grids) {
      // (b_{i−1} + 4 b_i + b_{i+1})/6 = f_i along both axes.
      const auto coefficients = [](std::vector<long double> f) {
        for (long double& value : f) value *= 6;
        return solve_periodic_spline(f);
      };
      const std::vector<long double> values(grid.energy.begin(), grid.energy.end());
      const auto along_phi = along_columns(values, grid.size, coefficients);
      splines_.push_back({grid.size, along_rows(along_phi, grid.size, coefficients)});
    }
  }

  /// Returns the energy; the angles are in rad from −π to π.
  template <class Real>
  Real at(std::size_t grid, const Real& phi, const Real& psi) const {
    const Spline& spline = splines_[grid];
    const Weights<Real> along_phi(phi, spline.size), along_psi(psi, spline.size);
    Real sum = 0;
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j)
        sum += along_phi.weight[i] * along_psi.weight[j] *
               Real(spline.b[along_phi.index(i) * spline.size + along_psi.index(j)]);
    return sum;
  }

 private:
  struct Spline {
    std::size_t size;
    std::vector<long double> b;  ///< [size of φ][size of ψ]
  };

  /// The B-splines that do not vanish at an angle, those of the points first to first + 3.
  template <class Real>
  struct Weights {
    std::size_t size;
    std::size_t first;
    Real weight[4];

    Weights(const Real& angle, std::size_t n) : size(n) {
      constexpr long double kPi = std::numbers::pi_v<long double>;
      const Real x = (angle + Real(kPi)) * Real(static_cast<long double>(n) / (2 * kPi));
      const long double point = std::floor(value_of(x));
      const Real u = x - Real(point), w = Real(1) - u;
      first = (static_cast<std::size_t>(point) + n - 1) % n;
      weight[0] = w * w * w / Real(6);
      weight[1] = (Real(4) - Real(6) * u * u + Real(3) * u * u * u) / Real(6);
      weight[2] = (Real(4) - Real(6) * w * w + Real(3) * w * w * w) / Real(6);
      weight[3] = u * u * u / Real(6);
    }
    std::size_t index(std::size_t k) const { return (first + k) % size; }
  };

  std::vector<Spline> splines_;
};

}  // namespace dropmd::bonded_reference

#include "forces/bonded/cmap/cmap_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "forces/bonded/cmap/periodic_spline.h"
#include "forces/bonded/reference/cmap_splines.h"
#include "tests/forces/bonded/bonded_samples.h"

namespace dropmd {
namespace {

/// A random grid and its map.
struct Map {
  CmapGrid grid;
  std::vector<CmapCell> cells;
  CmapMap map;

  explicit Map(const CmapGrid& of)
      : grid(of), cells(cmap_cells({&of, 1})), map(cmap_maps({&of, 1}, cells.data()).front()) {}
  explicit Map(std::uint32_t size) : Map(TermSampler(size).grid(size)) {}

  double spacing() const { return 2 * kPi / grid.size; }
  double angle(std::size_t i) const { return -kPi + spacing() * static_cast<double>(i); }
  double value(std::size_t i, std::size_t j) const { return grid.energy[i % grid.size * grid.size + j % grid.size]; }
};

constexpr std::uint32_t kSizes[] = {1, 2, 3, 4, 7, 24, 36};

TEST(CmapMap, SplineEquationsAreSolved) {
  TermSampler sample(3);
  for (const std::size_t n : {1U, 2U, 3U, 4U, 5U, 24U, 72U}) {
    std::vector<double> right(n);
    for (double& r : right) r = sample.uniform(-1, 1);
    const std::vector<double> y = solve_periodic_spline(right);
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR(y[(i + n - 1) % n] + 4 * y[i] + y[(i + 1) % n], right[i], 2e-15) << n;
  }
}

/// An angle of the grid in fp64 is off by 1e-16 of its size, and slopes are about 10 per spacing.
TEST(CmapMap, GoesThroughTheValuesOfTheGrid) {
  for (const std::uint32_t size : kSizes) {
    const Map m(size);
    for (std::size_t i = 0; i <= size; ++i)
      for (std::size_t j = 0; j <= size; ++j)
        EXPECT_NEAR(m.map(m.angle(i), m.angle(j)).energy, m.value(i, j), 2e-13) << size << ' ' << i << ' ' << j;
    EXPECT_EQ(m.cells[size * size - 1].c[0][0], m.grid.energy.back());
  }
}

/// Values and first derivatives agree on both sides of every line of the grid, -180° and 180° among them.
TEST(CmapMap, IsSmoothAcrossTheLinesOfTheGrid) {
  constexpr double kStep = 1e-9;
  for (const std::uint32_t size : kSizes) {
    const Map m(size);
    const auto expect_same = [&](const CmapMap::Value& a, const CmapMap::Value& b) {
      const double bound = 1000 * kStep * size * size;  // the second derivative, which is about 60/spacing² at most
      EXPECT_NEAR(a.energy, b.energy, bound);
      EXPECT_NEAR(a.by_phi, b.by_phi, bound);
      EXPECT_NEAR(a.by_psi, b.by_psi, bound);
    };
    for (std::size_t line = 0; line < size; ++line)
      for (double other = -kPi + 0.01; other < kPi; other += 0.31) {
        const double at = m.angle(line), below = line == 0 ? kPi - kStep : at - kStep;
        expect_same(m.map(at + kStep, other), m.map(below, other));
        expect_same(m.map(other, at + kStep), m.map(other, below));
      }
  }
}

TEST(CmapMap, IsPeriodic) {
  for (const std::uint32_t size : kSizes) {
    const Map m(size);
    for (double other = -kPi; other <= kPi; other += 0.1) {
      EXPECT_NEAR(m.map(-kPi, other).energy, m.map(kPi, other).energy, 1e-12);
      EXPECT_NEAR(m.map(-kPi, other).by_phi, m.map(kPi, other).by_phi, 1e-11);
      EXPECT_NEAR(m.map(other, -kPi).by_psi, m.map(other, kPi).by_psi, 1e-11);
    }
  }
}

TEST(CmapMap, HasTheDerivativesOfItsValues) {
  const Map m(24);
  TermSampler sample(5);
  const long double step = 1e-4L;
  const std::vector<CmapGrid> grids{m.grid};
  const bonded_reference::CmapSplines splines(grids);
  for (int trial = 0; trial < 500; ++trial) {
    const double phi = sample.uniform(-kPi, kPi), psi = sample.uniform(-kPi, kPi);
    const auto value = m.map(phi, psi);
    const auto at = [&](long double x, long double y) { return splines.at(0, phi + x, psi + y); };
    EXPECT_NEAR(value.energy, static_cast<double>(at(0, 0)), 1e-13);
    // The third derivative, about 100/spacing³ = 6000, changes at the lines of the grid: errors of second order remain.
    EXPECT_NEAR(value.by_phi, static_cast<double>((at(step, 0) - at(-step, 0)) / (2 * step)), 1e-4);
    EXPECT_NEAR(value.by_psi, static_cast<double>((at(0, step) - at(0, -step)) / (2 * step)), 1e-4);
  }
}

/// Cubic splines of smooth functions have an error of fourth order, and their derivatives of third.
TEST(CmapMap, ConvergesToASmoothFunction) {
  double last = 0, last_slope = 0;
  for (const std::uint32_t size : {12U, 24U, 48U}) {
    CmapGrid grid{size, {}};
    const auto angle = [&](std::uint32_t i) { return -kPi + 2 * kPi * i / size; };
    for (std::uint32_t i = 0; i < size; ++i)
      for (std::uint32_t j = 0; j < size; ++j)
        grid.energy.push_back(std::cos(angle(i)) * std::sin(2 * angle(j)) + std::sin(angle(i) - angle(j)));
    const Map m(grid);
    double error = 0, slope_error = 0;
    for (double phi = -3.1; phi < kPi; phi += 0.0937)
      for (double psi = -3.1; psi < kPi; psi += 0.0911) {
        const auto value = m.map(phi, psi);
        error = std::max(error, std::abs(value.energy - std::cos(phi) * std::sin(2 * psi) - std::sin(phi - psi)));
        slope_error =
            std::max(slope_error, std::abs(value.by_psi - 2 * std::cos(phi) * std::cos(2 * psi) + std::cos(phi - psi)));
      }
    if (last > 0) {
      EXPECT_GT(last / error, 12) << size;
      EXPECT_GT(last_slope / slope_error, 6) << size;
    }
    last = error;
    last_slope = slope_error;
  }
  EXPECT_LT(last, 2e-5);
}

}  // namespace
}  // namespace dropmd

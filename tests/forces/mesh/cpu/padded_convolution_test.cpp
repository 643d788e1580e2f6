#include "forces/mesh/cpu/padded_convolution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

namespace dropmd {
namespace {

/// A box with random values in its points and a random influence function.
struct Case {
  MeshBox box;
  InfluenceFunction influence;
  std::vector<double> values;  ///< as PaddedConvolution has them in memory
  std::size_t row;

  Case(const std::array<int, 3>& points, const std::array<int, 3>& length, unsigned seed) : box{1, points, {}} {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    influence.length = length;
    std::size_t octant = 1;
    for (const int n : length) octant *= static_cast<std::size_t>(n / 2 + 1);
    for (std::size_t k = 0; k < octant; ++k) influence.value.push_back(uniform(random));
    row = PaddedConvolution::row(box);
    values.resize(static_cast<std::size_t>(points[0] * points[1]) * row);
    for (std::size_t k = 0; k < values.size(); ++k)
      if (k % row < static_cast<std::size_t>(points[2])) values[k] = uniform(random);
  }
  double at(int x, int y, int z) const {
    return values[static_cast<std::size_t>(x * box.points[1] + y) * row + static_cast<std::size_t>(z)];
  }
};

/// Values at the offsets |o| < n of the inverse transform of an influence function, by its definition.
std::vector<double> kernel_of(const Case& c) {
  const auto [nx, ny, nz] = c.influence.length;
  std::vector<double> kernel;
  for (int a = 0; a < c.box.points[0]; ++a)
    for (int b = 0; b < c.box.points[1]; ++b)
      for (int d = 0; d < c.box.points[2]; ++d) {
        double sum = 0;
        for (int x = 0; x < nx; ++x)
          for (int y = 0; y < ny; ++y)
            for (int z = 0; z < nz; ++z) {
              const int index =
                  (std::min(x, nx - x) * (ny / 2 + 1) + std::min(y, ny - y)) * (nz / 2 + 1) + std::min(z, nz - z);
              sum += c.influence.value[static_cast<std::size_t>(index)] * std::cos(2 * std::numbers::pi * a * x / nx) *
                     std::cos(2 * std::numbers::pi * b * y / ny) * std::cos(2 * std::numbers::pi * d * z / nz);
            }
        kernel.push_back(sum / (nx * ny * nz));
      }
  return kernel;
}

/// Lengths that are just enough, and more, and numbers of points below, at and beyond whole packs of any width.
TEST(PaddedConvolution, IsTheSumOverAllPairsOfPoints) {
  for (const auto& [points, length] :
       {std::pair{std::array{1, 1, 1}, std::array{2, 2, 2}}, std::pair{std::array{5, 4, 3}, std::array{10, 8, 6}},
        std::pair{std::array{2, 9, 4}, std::array{4, 18, 8}}, std::pair{std::array{3, 1, 16}, std::array{6, 4, 32}},
        std::pair{std::array{8, 5, 9}, std::array{16, 12, 20}}, std::pair{std::array{1, 3, 2}, std::array{6, 10, 4}}}) {
    Case c(points, length, 1);
    const std::vector<double> kernel = kernel_of(c);
    std::vector<double> found = c.values;
    PaddedConvolution(c.box, c.influence).apply({1}, found);
    const auto [nx, ny, nz] = points;
    const auto index_of = [n_y = ny, n_z = nz](int x, int y, int z) {
      return static_cast<std::size_t>(x * n_y + y) * static_cast<std::size_t>(n_z) + static_cast<std::size_t>(z);
    };
    for (int x = 0; x < nx; ++x)
      for (int y = 0; y < ny; ++y) {
        const double* const row = &found[static_cast<std::size_t>(x * ny + y) * c.row];
        for (int z = 0; z < nz; ++z) {
          double sum = 0;
          for (int a = 0; a < nx; ++a)
            for (int b = 0; b < ny; ++b)
              for (int d = 0; d < nz; ++d)
                sum += c.at(a, b, d) * kernel[index_of(std::abs(x - a), std::abs(y - b), std::abs(z - d))];
          // Sums of up to a hundred numbers of order 1; 1.0e-15 was seen.
          EXPECT_NEAR(row[z], sum, 1e-14) << nx << " " << ny << " " << nz << ": " << x << " " << y << " " << z;
        }
      }
  }
}

TEST(PaddedConvolution, IsTheSameForEveryNumberOfThreads) {
  const Case c({31, 33, 32}, {64, 72, 64}, 2);
  std::vector<double> one = c.values;
  PaddedConvolution(c.box, c.influence).apply({1}, one);
  PaddedConvolution convolution(c.box, c.influence);
  for (const int threads : {2, 3, 8, 1}) {
    std::vector<double> several = c.values;
    convolution.apply({threads}, several);
    EXPECT_EQ(std::memcmp(one.data(), several.data(), one.size() * sizeof(double)), 0) << threads;
  }
}

}  // namespace
}  // namespace dropmd

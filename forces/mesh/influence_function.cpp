#include "forces/mesh/influence_function.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/parallel_for.h"

namespace dropmd {

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
constexpr double kPi = 3.14159265358979323846;

/// Returns cos(2π jk/n), with the phase reduced to one period exactly.
double cosine(long long j, long long k, long long n) {
  return std::cos(2 * kPi * static_cast<double>(j * k % n) / static_cast<double>(n));
}

/// The periodic mesh of n points an axis on which G is defined, at wave numbers 2πi/(nh).
struct WideMesh {
  int n;  ///< even
  double spacing;

  double wave_number(double i) const { return 2 * kPi * i / (n * spacing); }
  /// Index of the largest wave number.
  int half() const { return n / 2; }
};

/// Û² along one axis at the wave numbers of an octant, and its sums over the aliases.
struct SplineSums {
  std::vector<double> of_alias[3];  ///< [half + 1] Û²(kₘ) for m = −1, 0, 1
  std::vector<double> sum, sum_k2;  ///< [half + 1] Σₘ Û²(kₘ), Σₘ kₘ² Û²(kₘ)

  SplineSums(const WideMesh& mesh, int order) {
    // The terms fall as m^(2 − 2P), P ≥ 4.
    constexpr int kAliases = 200;
    for (int i = 0; i <= mesh.half(); ++i) {
      double all = 0, all_k2 = 0;
      for (int m = -kAliases; m <= kAliases; ++m) {
        const double k = mesh.wave_number(i + static_cast<double>(m) * mesh.n), phase = 0.5 * k * mesh.spacing;
        const double u = phase == 0 ? 1 : std::pow(std::sin(phase) / phase, order);
        if (std::abs(m) <= 1) of_alias[m + 1].push_back(u * u);
        all += u * u;
        all_k2 += k * k * u * u;
      }
      sum.push_back(all);
      sum_k2.push_back(all_k2);
    }
  }
};

/// k² times the transform of the kernel, by the sum of the squares of the three indices of k: the wave numbers of all
/// axes are multiples of one.
struct RadialTable {
  std::vector<double> truncated;  ///< 4π (1 − cos kR) Φ̂(k); as `smooth` if the kernel has a range
  std::vector<double> smooth;     ///< 4π Φ̂(k), the mean of the above: for aliases

  RadialTable(Cpu cpu, const MeshKernel& kernel, const WideMesh& mesh, double radius) {
    const CoulombSplit& split = kernel.split();
    const double last = (split.bandwidth() + Prolate::kTail) / split.cutoff() / mesh.wave_number(1);
    const double most = 3 * 2.25 * mesh.n * static_cast<double>(mesh.n);  // of aliases with |m| ≤ 1
    const auto size = static_cast<std::size_t>(std::min(last * last, most)) + 1;
    truncated.resize(size);
    smooth.resize(size);
    parallel_for(cpu, size, [&](std::size_t square) {
      const double k = mesh.wave_number(std::sqrt(static_cast<double>(square)));
      smooth[square] = 4 * kPi * kernel.transform(k);
      truncated[square] = smooth[square] * (kernel.has_range() ? 1 : 1 - std::cos(k * radius));
    });
  }

  static double at(const std::vector<double>& table, long long square) {
    const auto index = static_cast<std::size_t>(square);
    return index < table.size() ? table[index] : 0;
  }
};

/// Returns G at the indices of a wave number.
double optimal(const WideMesh& mesh, const SplineSums& spline, const RadialTable& radial, double at_zero, int x, int y,
               int z) {
  if (x == 0 && y == 0 && z == 0) return at_zero;
  const auto square = [&](int i, int m) {
    const long long index = i + static_cast<long long>(m) * mesh.n;
    return index * index;
  };
  double numerator = 0;
  for (int a = -1; a <= 1; ++a)
    for (int b = -1; b <= 1; ++b)
      for (int c = -1; c <= 1; ++c) {
        const bool alias = a != 0 || b != 0 || c != 0;
        const double value =
            RadialTable::at(alias ? radial.smooth : radial.truncated, square(x, a) + square(y, b) + square(z, c));
        if (value == 0) continue;
        const auto ix = static_cast<std::size_t>(x), iy = static_cast<std::size_t>(y), iz = static_cast<std::size_t>(z);
        numerator += value * spline.of_alias[a + 1][ix] * spline.of_alias[b + 1][iy] * spline.of_alias[c + 1][iz];
      }
  const auto ix = static_cast<std::size_t>(x), iy = static_cast<std::size_t>(y), iz = static_cast<std::size_t>(z);
  const double ux = spline.sum[ix], uy = spline.sum[iy], uz = spline.sum[iz];
  const double k2 = spline.sum_k2[ix] * uy * uz + ux * spline.sum_k2[iy] * uz + ux * uy * spline.sum_k2[iz];
  return numerator / (k2 * ux * uy * uz);
}

/// Returns the matrix that turns values at the wave numbers of the wide mesh into the transform, with a length N, of
/// their inverse transform at the offsets |o| < n: [N/2 + 1][half + 1], 1/length.
Matrix rows_to_padded(const WideMesh& mesh, int points, int length) {
  const int half = mesh.half();
  Matrix inverse(points, half + 1), forward(length / 2 + 1, points);
  for (int o = 0; o < points; ++o) {
    for (int i = 0; i <= half; ++i)
      inverse(o, i) = cosine(o, i, mesh.n) * (i == 0 || i == half ? 1 : 2) / (mesh.n * mesh.spacing);
    for (int j = 0; j <= length / 2; ++j) forward(j, o) = cosine(o, j, length) * (o == 0 ? 1 : 2);
  }
  return forward * inverse;
}

}  // namespace

InfluenceFunction InfluenceFunction::make(Cpu cpu, const MeshKernel& kernel, const MeshBox& box, int order,
                                          double extent) {
  const CoulombSplit& split = kernel.split();
  // A smeared charge has the radius r_c: the truncation must not reach the field of one within the box.
  const double radius = extent + split.cutoff();
  const double reach = kernel.has_range() ? kernel.range() : radius + split.cutoff();
  const int most = *std::max_element(box.points.begin(), box.points.end());
  const WideMesh mesh{fast_length(most + static_cast<int>(std::ceil(reach / box.spacing)) + 1), box.spacing};
  const SplineSums spline(mesh, order);
  const RadialTable radial(cpu, kernel, mesh, radius);
  const double at_zero = kernel.has_range() ? kernel.integral() : 2 * kPi * radius * radius;

  InfluenceFunction result;
  Matrix along[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    result.length[axis] = fast_length(2 * box.points[axis] - 1);
    along[axis] = rows_to_padded(mesh, box.points[axis], result.length[axis]);
  }
  const Eigen::Index half = mesh.half(), ny = along[1].rows(), nz = along[2].rows();
  Matrix planes(half + 1, ny * nz);
  parallel_for(cpu, static_cast<std::size_t>(half) + 1, [&](std::size_t x) {
    Matrix plane(half + 1, half + 1);
    for (int y = 0; y <= mesh.half(); ++y)
      for (int z = 0; z <= mesh.half(); ++z)
        plane(y, z) = optimal(mesh, spline, radial, at_zero, static_cast<int>(x), y, z);
    Eigen::Map<Matrix> to(planes.row(static_cast<Eigen::Index>(x)).data(), ny, nz);
    to.noalias() = along[1] * plane * along[2].transpose();
  });
  result.value.resize(static_cast<std::size_t>(along[0].rows() * ny * nz));
  // By columns of equal width, so that every thread has a product of its own.
  constexpr Eigen::Index kColumns = 512;
  Eigen::Map<Matrix> value(result.value.data(), along[0].rows(), ny * nz);
  parallel_for(cpu, static_cast<std::size_t>((ny * nz + kColumns - 1) / kColumns), [&](std::size_t part) {
    const Eigen::Index first = static_cast<Eigen::Index>(part) * kColumns, n = std::min(kColumns, ny * nz - first);
    value.middleCols(first, n).noalias() = along[0] * planes.middleCols(first, n);
  });
  return result;
}

}  // namespace dropmd

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

/// The periodic mesh of n points per axis on which G is defined, at wave numbers 2πi/(nh).
struct WideMesh {
  int n;  ///< even
  double spacing;

  double wave_number(double i) const { return 2 * kPi * i / (n * spacing); }
  /// Index of the largest wave number.
  int half() const { return n / 2; }
};

/// What G needs along one axis at the wave numbers k of an octant.
struct SplineSums {
  /// Û²(kₘ) for m = 0 and those m = ±1 whose |kₘ| is at most the last wave number of the aliases.
  struct Terms {
    int count = 0;
    double square[3]{}, spline2[3]{};  ///< [count] (i + mn)², Û²(kₘ)
  };
  std::vector<Terms> terms;         ///< [half + 1]
  std::vector<double> sum, sum_k2;  ///< [half + 1] Σₘ Û²(kₘ), Σₘ kₘ² Û²(kₘ)

  SplineSums(const WideMesh& mesh, int order, double last_alias) : terms(static_cast<std::size_t>(mesh.half()) + 1) {
    // The terms fall as m^(2 − 2P), P ≥ 4.
    constexpr int kAliases = 200;
    for (int i = 0; i <= mesh.half(); ++i) {
      double all = 0, all_k2 = 0;
      Terms& of_index = terms[static_cast<std::size_t>(i)];
      const auto add = [&](int m) {
        const double index = i + static_cast<double>(m) * mesh.n, k = mesh.wave_number(index);
        const double phase = 0.5 * k * mesh.spacing;
        const double u = phase == 0 ? 1 : std::pow(std::sin(phase) / phase, order);
        all += u * u;
        all_k2 += k * k * u * u;
        if (m != 0 && (std::abs(m) > 1 || std::abs(index) > last_alias)) return;
        of_index.square[of_index.count] = index * index;
        of_index.spline2[of_index.count++] = u * u;
      };
      add(0);
      for (int m = 1; m <= kAliases; ++m) add(-m), add(m);
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

  /// Both end at the last wave numbers that are needed.
  RadialTable(Cpu cpu, const MeshKernel& kernel, const WideMesh& mesh, double radius, double last_alias) {
    const double half = mesh.half();
    truncated.resize(static_cast<std::size_t>(3 * half * half) + 1);
    smooth.resize(static_cast<std::size_t>(last_alias * last_alias) + 1);
    parallel_for(cpu, std::max(truncated.size(), smooth.size()), [&](std::size_t square) {
      const double k = mesh.wave_number(std::sqrt(static_cast<double>(square)));
      const double value = 4 * kPi * kernel.transform(k);
      if (square < smooth.size()) smooth[square] = value;
      if (square < truncated.size()) truncated[square] = value * (kernel.has_range() ? 1 : 1 - std::cos(k * radius));
    });
  }
};

/// Returns G at the indices of a wave number.
double optimal(const SplineSums& spline, const RadialTable& radial, double at_zero, std::size_t x, std::size_t y,
               std::size_t z) {
  if (x == 0 && y == 0 && z == 0) return at_zero;
  const SplineSums::Terms &along_x = spline.terms[x], &along_y = spline.terms[y], &along_z = spline.terms[z];
  double numerator = 0;
  for (int a = 0; a < along_x.count; ++a)
    for (int b = 0; b < along_y.count; ++b)
      for (int c = 0; c < along_z.count; ++c) {
        const bool alias = a > 0 || b > 0 || c > 0;
        const std::vector<double>& table = alias ? radial.smooth : radial.truncated;
        const auto square = static_cast<std::size_t>(along_x.square[a] + along_y.square[b] + along_z.square[c]);
        if (square >= table.size()) continue;
        numerator += table[square] * along_x.spline2[a] * along_y.spline2[b] * along_z.spline2[c];
      }
  const double ux = spline.sum[x], uy = spline.sum[y], uz = spline.sum[z];
  const double k2 = spline.sum_k2[x] * uy * uz + ux * spline.sum_k2[y] * uz + ux * uy * spline.sum_k2[z];
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
  // Beyond the bandwidth L̂ is less than what the choice of the bandwidth allows. Most meshes have no aliases within it.
  const double last_alias = split.bandwidth() / split.cutoff() / mesh.wave_number(1);
  const SplineSums spline(mesh, order, last_alias);
  const RadialTable radial(cpu, kernel, mesh, radius, last_alias);
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
    for (Eigen::Index y = 0; y <= half; ++y)
      for (Eigen::Index z = 0; z <= half; ++z)
        plane(y, z) = optimal(spline, radial, at_zero, x, static_cast<std::size_t>(y), static_cast<std::size_t>(z));
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

#include "bench/mesh/mesh_limits.h"

#include <algorithm>
#include <cmath>

namespace dropmd {

namespace {

struct Sizes {
  double n_x, n_y, n_z;  ///< points of the box
  double l_x, l_y, l_z;  ///< lengths of the transforms
  double half_z;         ///< complex values of a transform of real ones along z

  explicit Sizes(const MeshWork& work)
      : n_x(work.points[0]),
        n_y(work.points[1]),
        n_z(work.points[2]),
        l_x(work.length[0]),
        l_y(work.length[1]),
        l_z(work.length[2]),
        half_z(std::floor(0.5 * work.length[2]) + 1) {}

  double points() const { return n_x * n_y * n_z; }
};

double bytes_of_transforms(const Sizes& s, double real) {
  const double complex = 2 * real;
  const double along_z = (s.n_x * s.n_y) * (s.n_z * real + s.half_z * complex);
  const double along_y = (s.n_x * s.half_z) * ((s.n_y + s.l_y) * complex);
  const double along_x = (s.n_x * s.l_y * s.half_z) * (2 * complex);
  const double influence = ((0.5 * s.l_x + 1) * (0.5 * s.l_y + 1)) * (s.half_z * real);
  return 2 * (along_z + along_y) + along_x + influence;
}

/// Returns the multiply-adds of the transform of a complex line.
double multiply_adds_of_line(double length) { return length > 1 ? 2.5 * length * std::log2(length) : 0; }

double multiply_adds_of_transforms(const Sizes& s) {
  return 2 * (0.5 * s.n_x * s.n_y * multiply_adds_of_line(s.l_z) + s.n_x * s.half_z * multiply_adds_of_line(s.l_y) +
              s.l_y * s.half_z * multiply_adds_of_line(s.l_x));
}

}  // namespace

MeshLimits MeshLimits::of(const MeshWork& work, const MeshRates& rates) {
  // Position, charge, and three sums that are read and written.
  constexpr double kBytesOfAtom = 24 + 8 + 3 * 16;
  const Sizes sizes(work);
  const auto real = static_cast<double>(work.real_bytes), n = static_cast<double>(work.n_spread);
  const double p = work.order, box_bytes = real * sizes.points();
  MeshLimits limits;
  limits.spread = n * p * p * p / rates.mesh_additions + box_bytes / rates.copied_bytes;
  limits.transforms = std::max(bytes_of_transforms(sizes, real) / rates.copied_bytes,
                               multiply_adds_of_transforms(sizes) / rates.multiply_adds);
  limits.gather = std::max(n * p * (2 * p * p + 3 * p + 3) / rates.multiply_adds,
                           (box_bytes + n * kBytesOfAtom) / rates.copied_bytes);
  limits.pairs = work.pairs * (kPairSlots + work.degree) / rates.pair_multiply_adds;
  return limits;
}

}  // namespace dropmd

#pragma once

#include <cmath>
#include <limits>

#include "core/macros.h"
#include "core/vec3.h"

/// Eigenvalues of symmetric matrices of 3 × 3, the same text and the same bits for both processors.
namespace dropmd {

struct SymmetricMatrix {
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;

  DROPMD_HOST_DEVICE SymmetricMatrix& operator+=(const SymmetricMatrix& o) {
    xx += o.xx, xy += o.xy, xz += o.xz, yy += o.yy, yz += o.yz, zz += o.zz;
    return *this;
  }
};

/// Eigenvalues in no order; axis[k] of length 1 belongs to value[k].
struct SymmetricEigen {
  double value[3];
  Vec3<double> axis[3];
};

/// Turns the plane of the axes p and q so that the element pq becomes 0; rp, rq: those with the third axis. Nothing is
/// done, and false returned, where pq is below the rounding of pp and of qq. Golub and Van Loan, Matrix Computations,
/// 4th ed., algorithm 8.5.1: of the two angles the one up to 45°, which cyclic sweeps need to converge (Forsythe and
/// Henrici, Trans. AMS 94 (1960) 1); the updates are those of Rutishauser, Numer. Math. 9 (1966) 1.
DROPMD_HOST_DEVICE inline bool jacobi_rotation(double& pp, double& qq, double& pq, double& rp, double& rq,
                                               Vec3<double>& p, Vec3<double>& q) {
  const double off = std::fabs(pq), size_p = std::fabs(pp), size_q = std::fabs(qq);
  if (size_p + off == size_p && size_q + off == size_q) return false;
  const double cot = (qq - pp) / (2 * pq);  // of twice the angle; infinite at worst, and the angle 0
  const double tan = (cot < 0 ? -1 : 1) / (std::fabs(cot) + std::sqrt(1 + cot * cot));
  const double cos = 1 / std::sqrt(1 + tan * tan), sin = tan * cos;
  pp -= tan * pq;
  qq += tan * pq;
  pq = 0;
  const double rp_before = rp;
  rp = cos * rp - sin * rq;
  rq = sin * rp_before + cos * rq;
  const Vec3<double> p_before = p;
  p = cos * p - sin * q;
  q = sin * p_before + cos * q;
  return true;
}

/// By cyclic Jacobi sweeps. Errors of the values are a few roundings of the largest, however small the others are; axes
/// are orthogonal to rounding, those of equal values too. Elements that are not finite, or beyond 1e307, make all
/// values NaN.
DROPMD_HOST_DEVICE inline SymmetricEigen symmetric_eigen(SymmetricMatrix a) {
  SymmetricEigen eigen{{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const double size =
      std::fabs(a.xx) + std::fabs(a.xy) + std::fabs(a.xz) + std::fabs(a.yy) + std::fabs(a.yz) + std::fabs(a.zz);
  if (!(size > 0 && size < std::numeric_limits<double>::infinity())) {
    for (double& value : eigen.value) value = 0 * size;
    return eigen;
  }
  // Scaled by a power of two, which is exact, so that products neither overflow nor vanish.
  const int exponent = std::ilogb(size);
  a = {std::scalbn(a.xx, -exponent), std::scalbn(a.xy, -exponent), std::scalbn(a.xz, -exponent),
       std::scalbn(a.yy, -exponent), std::scalbn(a.yz, -exponent), std::scalbn(a.zz, -exponent)};

  // Convergence is quadratic: of millions of random matrices none took more than 5 sweeps. The bound ends the rest.
  constexpr int kMostSweeps = 16;
  Vec3<double>&x = eigen.axis[0], &y = eigen.axis[1], &z = eigen.axis[2];
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    const bool xy = jacobi_rotation(a.xx, a.yy, a.xy, a.xz, a.yz, x, y);
    const bool xz = jacobi_rotation(a.xx, a.zz, a.xz, a.xy, a.yz, x, z);
    const bool yz = jacobi_rotation(a.yy, a.zz, a.yz, a.xy, a.xz, y, z);
    if (!xy && !xz && !yz) break;
  }
  eigen.value[0] = std::scalbn(a.xx, exponent);
  eigen.value[1] = std::scalbn(a.yy, exponent);
  eigen.value[2] = std::scalbn(a.zz, exponent);
  return eigen;
}

}  // namespace dropmd

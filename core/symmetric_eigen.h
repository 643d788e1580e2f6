#pragma once

#include <cmath>
#include <limits>

#include "core/macros.h"
#include "core/vec3.h"

/// Eigenvalues of symmetric 3 × 3 matrices; one source gives bitwise identical results on host and device.
namespace dropmd {

/// A symmetric 3 × 3 matrix by its six independent elements.
struct SymmetricMatrix {
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;

  DROPMD_HOST_DEVICE SymmetricMatrix& operator+=(const SymmetricMatrix& o) {
    xx += o.xx, xy += o.xy, xz += o.xz, yy += o.yy, yz += o.yz, zz += o.zz;
    return *this;
  }
};

/// Eigenvalues in no particular order; axis[k], of length 1, belongs to value[k].
struct SymmetricEigen {
  double value[3];
  Vec3<double> axis[3];
};

/// Rotates the plane of the axes p and q so that the element pq becomes 0; rp and rq are the elements with the third
/// axis. Returns false and does nothing if pq is below the rounding error of pp and of qq. Golub and Van Loan, Matrix
/// Computations, 4th ed., algorithm 8.5.1: of the two possible angles it takes the one up to 45°, which cyclic sweeps
/// need to converge (Forsythe and Henrici, Trans. AMS 94 (1960) 1); the updates are those of Rutishauser, Numer. Math.
/// 9 (1966) 1.
DROPMD_HOST_DEVICE inline bool jacobi_rotation(double& pp, double& qq, double& pq, double& rp, double& rq,
                                               Vec3<double>& p, Vec3<double>& q) {
  const double off = std::fabs(pq), size_p = std::fabs(pp), size_q = std::fabs(qq);
  if (size_p + off == size_p && size_q + off == size_q) return false;
  // Cotangent of twice the angle; infinite at worst, and then the angle is 0.
  const double cot = (qq - pp) / (2 * pq);
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

/// Diagonalises the matrix by cyclic Jacobi sweeps. Errors of the eigenvalues are a few roundings of the largest one,
/// however small the others are; the axes are orthogonal to rounding, even those of equal eigenvalues. If an element is
/// not finite or exceeds 1e307, all eigenvalues are NaN.
DROPMD_HOST_DEVICE inline SymmetricEigen symmetric_eigen(SymmetricMatrix a) {
  SymmetricEigen eigen{{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const double size =
      std::fabs(a.xx) + std::fabs(a.xy) + std::fabs(a.xz) + std::fabs(a.yy) + std::fabs(a.yz) + std::fabs(a.zz);
  if (!(size > 0 && size < std::numeric_limits<double>::infinity())) {
    for (double& value : eigen.value) value = 0 * size;
    return eigen;
  }
  // The matrix is scaled by a power of two, which is exact, so that products neither overflow nor vanish.
  const int exponent = std::ilogb(size);
  a = {std::scalbn(a.xx, -exponent), std::scalbn(a.xy, -exponent), std::scalbn(a.xz, -exponent),
       std::scalbn(a.yy, -exponent), std::scalbn(a.yz, -exponent), std::scalbn(a.zz, -exponent)};

  // Convergence is quadratic: none of millions of random matrices took more than 5 sweeps. The bound ends the loop in
  // any case.
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

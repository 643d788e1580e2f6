#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/lanes/lanes.h"
#include "core/macros.h"

namespace dropmd {

/// What a solver may assume of a matrix: nothing; or that all pivots on the diagonal are large enough, as those of a
/// positive definite matrix are, so that it need not exchange rows.
enum class Pivots : std::uint8_t { any, on_diagonal };

/// Solves a x = b for a small matrix by Gaussian elimination, with partial pivoting unless pivots are on the diagonal;
/// x replaces b, and a is destroyed. Returns false, with b undefined, if an element is not finite, or if a pivot is
/// below 1e-9 (in single precision 1e-5) of the largest element or, with pivots on the diagonal, of the largest one
/// there: as far as constraints are concerned, the matrix is then singular. Rows are exchanged by conditional moves, so
/// that an unrolled solve keeps the matrix in registers.
template <Pivots kPivots, class Real, int n>
DROPMD_HOST_DEVICE inline bool solve_linear(Real (&a)[n][n], Real (&b)[n]) {
  constexpr Real kSmallestPivot = std::is_same_v<Real, float> ? Real(1e-5) : Real(1e-9);
  Real largest = 0, inverse[n];
  DROPMD_UNROLL
  for (int row = 0; row < n; ++row) {
    DROPMD_UNROLL
    for (int column = 0; column < n; ++column)
      if (kPivots == Pivots::any || row == column) largest = std::fmax(largest, std::fabs(a[row][column]));
  }

  DROPMD_UNROLL
  for (int p = 0; p < n; ++p) {
    DROPMD_UNROLL
    for (int row = p + 1; row < n; ++row) {
      if (kPivots == Pivots::any && std::fabs(a[row][p]) > std::fabs(a[p][p])) {
        DROPMD_UNROLL
        for (int column = p; column < n; ++column) {
          const Real above = a[p][column];
          a[p][column] = a[row][column];
          a[row][column] = above;
        }
        const Real above = b[p];
        b[p] = b[row];
        b[row] = above;
      }
    }
    if (!(std::fabs(a[p][p]) > kSmallestPivot * largest)) return false;
    inverse[p] = 1 / a[p][p];
    DROPMD_UNROLL
    for (int row = p + 1; row < n; ++row) {
      const Real factor = a[row][p] * inverse[p];
      DROPMD_UNROLL
      for (int column = p + 1; column < n; ++column) a[row][column] = lane_fma(-factor, a[p][column], a[row][column]);
      b[row] = lane_fma(-factor, b[p], b[row]);
    }
  }
  DROPMD_UNROLL
  for (int row = n - 1; row >= 0; --row) {
    DROPMD_UNROLL
    for (int column = row + 1; column < n; ++column) b[row] = lane_fma(-a[row][column], b[column], b[row]);
    b[row] *= inverse[row];
  }
  return true;
}

}  // namespace dropmd

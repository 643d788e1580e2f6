#pragma once

#include <cmath>

#include "core/macros.h"

namespace dropmd {

/// Solves a x = b for a small matrix by Gaussian elimination with partial pivoting; x replaces b, and a is destroyed.
/// Returns false, with b undefined, if a pivot is below 1e-9 of the largest element, which means that the matrix is
/// singular as far as constraints are concerned, or if an element is not finite. Rows are exchanged by conditional
/// moves, so that an unrolled solve keeps the matrix in registers.
template <int n>
DROPMD_HOST_DEVICE inline bool solve_linear(double (&a)[n][n], double (&b)[n]) {
  constexpr double kSmallestPivot = 1e-9;
  double largest = 0;
  DROPMD_UNROLL
  for (int row = 0; row < n; ++row) {
    DROPMD_UNROLL
    for (int column = 0; column < n; ++column) largest = std::fmax(largest, std::fabs(a[row][column]));
  }

  DROPMD_UNROLL
  for (int p = 0; p < n; ++p) {
    DROPMD_UNROLL
    for (int row = p + 1; row < n; ++row) {
      if (std::fabs(a[row][p]) > std::fabs(a[p][p])) {
        DROPMD_UNROLL
        for (int column = p; column < n; ++column) {
          const double above = a[p][column];
          a[p][column] = a[row][column];
          a[row][column] = above;
        }
        const double above = b[p];
        b[p] = b[row];
        b[row] = above;
      }
    }
    if (!(std::fabs(a[p][p]) > kSmallestPivot * largest)) return false;
    const double inverse = 1 / a[p][p];
    DROPMD_UNROLL
    for (int row = p + 1; row < n; ++row) {
      const double factor = a[row][p] * inverse;
      DROPMD_UNROLL
      for (int column = p + 1; column < n; ++column) a[row][column] -= factor * a[p][column];
      b[row] -= factor * b[p];
    }
  }
  DROPMD_UNROLL
  for (int row = n - 1; row >= 0; --row) {
    DROPMD_UNROLL
    for (int column = row + 1; column < n; ++column) b[row] -= a[row][column] * b[column];
    b[row] /= a[row][row];
  }
  return true;
}

}  // namespace dropmd

#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace dropmd {

/// Returns the periodic solution y of y_{i−1} + 4 y_i + y_{i+1} = right_i for n = right.size() equations, which cubic
/// splines on a uniform grid need. The inverse of the matrix is known: with z = √3 − 2, its elements are
/// (z^d + z^(n−d))/(2√3 (1 − z^n)) for i and j that are d apart around the circle.
template <class Real>
std::vector<Real> solve_periodic_spline(const std::vector<Real>& right) {
  const std::size_t n = right.size();
  const Real root = std::sqrt(Real(3)), z = root - 2;
  std::vector<Real> inverse(n), y(n);
  const auto power = [&](std::size_t d) { return std::pow(z, static_cast<Real>(d)); };
  for (std::size_t d = 0; d < n; ++d) inverse[d] = (power(d) + power(n - d)) / (2 * root * (1 - power(n)));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t d = 0; d < n; ++d) y[i] += inverse[d] * right[(i + d) % n];
  return y;
}

/// Returns a matrix whose columns are map(column) of the columns of another one. matrix: [n][n], row by row.
template <class Real, class Map>
std::vector<Real> along_columns(const std::vector<Real>& matrix, std::size_t n, const Map& map) {
  std::vector<Real> result(matrix.size()), line(n);
  for (std::size_t column = 0; column < n; ++column) {
    for (std::size_t i = 0; i < n; ++i) line[i] = matrix[i * n + column];
    const std::vector<Real> mapped = map(line);
    for (std::size_t i = 0; i < n; ++i) result[i * n + column] = mapped[i];
  }
  return result;
}

/// Returns a matrix whose rows are map(row) of the rows of another one.
template <class Real, class Map>
std::vector<Real> along_rows(const std::vector<Real>& matrix, std::size_t n, const Map& map) {
  std::vector<Real> result(matrix.size());
  for (std::size_t row = 0; row < n; ++row) {
    const auto first = matrix.begin() + static_cast<std::ptrdiff_t>(row * n);
    const std::vector<Real> mapped = map(std::vector<Real>(first, first + static_cast<std::ptrdiff_t>(n)));
    for (std::size_t i = 0; i < n; ++i) result[row * n + i] = mapped[i];
  }
  return result;
}

}  // namespace dropmd

#include "forces/mesh/quadrature.h"

#include <cmath>

namespace dropmd {

Quadrature gauss_legendre(std::size_t n, double first, double last) {
  constexpr double kPi = 3.14159265358979323846;
  Quadrature quadrature{std::vector<double>(n), std::vector<double>(n)};
  const double middle = 0.5 * (first + last), half = 0.5 * (last - first);
  for (std::size_t k = 0; k < n; ++k) {
    // Newton's method from Tricomi's estimate converges to all digits in four iterations or fewer.
    const auto count = static_cast<double>(n);
    double x = -std::cos(kPi * (static_cast<double>(k) + 0.75) / (count + 0.5)), slope = 0;
    for (int iteration = 0; iteration < 6; ++iteration) {
      double value = 1, before = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const auto order = static_cast<double>(j);
        const double next = ((2 * order + 1) * x * value - order * before) / (order + 1);
        before = value;
        value = next;
      }
      slope = count * (x * value - before) / (x * x - 1);
      x -= value / slope;
    }
    quadrature.node[k] = middle + half * x;
    quadrature.weight[k] = half * 2 / ((1 - x * x) * slope * slope);
  }
  return quadrature;
}

}  // namespace dropmd

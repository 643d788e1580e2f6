#pragma once

#include <cstddef>
#include <vector>

namespace dropmd {

/// Points and weights of a quadrature.
struct Quadrature {
  std::vector<double> node, weight;  ///< [n]
};

/// Returns the Gauss-Legendre quadrature of n points on [first, last], exact for polynomials of degree 2n − 1.
Quadrature gauss_legendre(std::size_t n, double first, double last);

/// Returns the sum of weight(k) · f(node(k)).
template <class Function>
double integrate(const Quadrature& quadrature, const Function& f) {
  double sum = 0;
  for (std::size_t k = 0; k < quadrature.node.size(); ++k) sum += quadrature.weight[k] * f(quadrature.node[k]);
  return sum;
}

}  // namespace dropmd

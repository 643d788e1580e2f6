#include "forces/mesh/prolate.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "forces/mesh/quadrature.h"

namespace dropmd {

namespace {

/// Returns Σ a_k P_{2k + first}(x), with first 0 or 1.
double legendre_sum(const std::vector<double>& a, std::size_t first, double x) {
  double sum = 0, value = 1, before = 0;
  const std::size_t n = 2 * a.size() + first;
  for (std::size_t order = 0; order < n; ++order) {
    if (order % 2 == first) sum += a[order / 2] * value;
    const auto j = static_cast<double>(order);
    const double next = ((2 * j + 1) * x * value - j * before) / (j + 1);
    before = value;
    value = next;
  }
  return sum;
}

}  // namespace

Prolate::Prolate(double bandwidth) : bandwidth_(bandwidth) {
  // Beyond degree c the coefficients fall faster than any power; 40 more even degrees leave nothing in fp64.
  const auto n = static_cast<Eigen::Index>(40 + bandwidth);
  const double c2 = bandwidth * bandwidth;
  Eigen::VectorXd diagonal(n), beside(n - 1);
  for (Eigen::Index row = 0; row < n; ++row) {
    const double k = 2 * static_cast<double>(row);
    diagonal[row] = k * (k + 1) + c2 * (2 * k * (k + 1) - 1) / ((2 * k + 3) * (2 * k - 1));
    if (row + 1 < n) beside[row] = c2 * (k + 2) * (k + 1) / ((2 * k + 3) * std::sqrt((2 * k + 1) * (2 * k + 5)));
  }
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(diagonal, beside);
  const Eigen::VectorXd lowest = solver.eigenvectors().col(0);  // of normalised Legendre polynomials

  // ∫₀¹ P₂ₖ is 1 for k = 0, else 0, so the coefficient of P₀ is ∫₀¹ψ.
  coefficient_.resize(static_cast<std::size_t>(n));
  for (Eigen::Index row = 0; row < n; ++row)
    coefficient_[static_cast<std::size_t>(row)] = lowest[row] / lowest[0] * std::sqrt(4 * static_cast<double>(row) + 1);

  // ∫ Pₙ = (Pₙ₊₁ − Pₙ₋₁)/(2n + 1), and Pₙ₊₁' = (2n + 1) Pₙ + Pₙ₋₁'.
  integral_.assign(coefficient_.size(), 0.0);
  derivative_.assign(coefficient_.size(), 0.0);
  double higher = 0;
  for (std::size_t k = coefficient_.size(); k-- > 0;) {
    const double part = coefficient_[k] / (4 * static_cast<double>(k) + 1);
    integral_[k] += part;
    if (k > 0) integral_[k - 1] -= part;
    derivative_[k] = (4 * static_cast<double>(k) + 3) * higher;
    higher += coefficient_[k];
  }

  const Quadrature points = gauss_legendre(static_cast<std::size_t>(kTail + bandwidth), 0, 1);
  node_ = points.node;
  for (std::size_t k = 0; k < node_.size(); ++k) weight_.push_back(points.weight[k] * (*this)(node_[k]));
}

double Prolate::operator()(double x) const { return legendre_sum(coefficient_, 0, x); }

double Prolate::integral(double x) const { return legendre_sum(integral_, 1, x); }

double Prolate::derivative(double x) const { return legendre_sum(derivative_, 1, x); }

double Prolate::transform(double k) const {
  // For k ≤ c it is ψ itself, by the equation that defines ψ.
  if (std::abs(k) <= bandwidth_) return (*this)(k / bandwidth_) / (*this)(0);
  if (std::abs(k) > bandwidth_ + kTail) return 0;
  double sum = 0;
  for (std::size_t j = 0; j < node_.size(); ++j) sum += weight_[j] * std::cos(k * node_[j]);
  return sum;
}

}  // namespace dropmd

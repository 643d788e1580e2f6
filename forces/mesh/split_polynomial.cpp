#include "forces/mesh/split_polynomial.h"

#include <Eigen/QR>
#include <cmath>
#include <cstddef>

#include "forces/mesh/quadrature.h"
#include "forces/pair/coulomb_short_range.h"

namespace dropmd {

namespace {

constexpr double kPi = 3.14159265358979323846;

/// The least-squares problem of the fit, at Gauss points in x = r/r_c with the weight x⁴ dx.
class Fit {
 public:
  explicit Fit(const CoulombSplit& split)
      : quadrature_(gauss_legendre(kPoints, 0, 1)), value_(kPoints), root_(kPoints) {
    const double cutoff = split.cutoff(), cutoff3 = cutoff * cutoff * cutoff;
    for (Eigen::Index row = 0; row < kPoints; ++row) {
      const double x = node(row);
      root_[row] = std::sqrt(quadrature_.weight[static_cast<std::size_t>(row)]) * x * x;
      value_[row] = root_[row] * cutoff3 * split.smooth_force_over_r(x * cutoff);
    }
  }

  /// Returns the polynomial of a degree: fitted in Chebyshev polynomials of 1 − 2w, which keep the problem well
  /// conditioned, then expanded in powers of w.
  SplitPolynomial of_degree(int degree) const {
    const Eigen::Index n = degree + 1;
    Eigen::MatrixXd basis(kPoints, n);
    for (Eigen::Index row = 0; row < kPoints; ++row) {
      const double u = 2 * node(row) * node(row) - 1;
      double value = 1, before = u;  // T₀ and T₋₁
      for (Eigen::Index k = 0; k < n; ++k) {
        basis(row, k) = root_[row] * value;
        const double next = 2 * u * value - before;
        before = value;
        value = next;
      }
    }
    const Eigen::VectorXd chebyshev = basis.householderQr().solve(value_);
    return {powers_of(chebyshev), std::sqrt(4 * kPi) * (basis * chebyshev - value_).norm()};
  }

 private:
  static constexpr Eigen::Index kPoints = 96;

  double node(Eigen::Index row) const { return quadrature_.node[static_cast<std::size_t>(row)]; }

  /// Expands Σ a_k T_k(1 − 2w) in powers of w.
  static std::vector<double> powers_of(const Eigen::VectorXd& a) {
    const auto n = static_cast<std::size_t>(a.size());
    std::vector<long double> sum(n), value(n), before(n);
    value[0] = 1;   // T₀
    before[0] = 1;  // T₋₁ = u = 1 − 2w
    if (n > 1) before[1] = -2;
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t power = 0; power < n; ++power)
        sum[power] += static_cast<long double>(a[static_cast<Eigen::Index>(k)]) * value[power];
      std::vector<long double> next(n);
      for (std::size_t power = 0; power < n; ++power)
        next[power] = 2 * value[power] - (power > 0 ? 4 * value[power - 1] : 0) - before[power];
      before = value;
      value = next;
    }
    return {sum.begin(), sum.end()};
  }

  Quadrature quadrature_;
  Eigen::VectorXd value_;  ///< r_c³ g times the root of the weight
  Eigen::VectorXd root_;
};

}  // namespace

SplitPolynomial fit_split(const CoulombSplit& split, int degree) { return Fit(split).of_degree(degree); }

std::optional<int> least_degree(const CoulombSplit& split, double bound, int most) {
  const Fit fit(split);
  for (int degree = 1; degree <= most; ++degree)
    if (fit.of_degree(degree).error <= bound) return degree;
  return std::nullopt;
}

FormChoice short_range_choice(const CoulombSplit& split, int degree) {
  FormChoice choice{"short-range", {{"cutoff", split.cutoff()}, {"degree", degree}}};
  const SplitPolynomial polynomial = fit_split(split, degree);
  for (std::size_t k = 0; k < polynomial.force.size(); ++k)
    choice.values[short_range_coefficient(k)] = polynomial.force[k];
  return choice;
}

}  // namespace dropmd

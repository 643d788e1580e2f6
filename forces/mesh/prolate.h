#pragma once

#include <vector>

namespace dropmd {

/// The zeroth prolate spheroidal wave function ψ of a bandwidth c: the eigenfunction of largest eigenvalue of
///
///   ∫₋₁¹ ψ(x) e^{icxt} dx = λ ψ(t),   |t| ≤ 1
///
/// Among functions on [−1, 1] it has the least part of its spectrum beyond c, about e^{−c}. It is even and positive.
/// All functions are normalised by ∫₀¹ψ = 1, and have errors of a few roundings relative to ψ(0).
///
/// Source: Osipov, Rokhlin, Xiao, Prolate Spheroidal Wave Functions of Order Zero (2013): the coefficients of ψ in
/// Legendre polynomials are an eigenvector of a symmetric tridiagonal matrix (section 2.4 there).
class Prolate {
 public:
  static constexpr double kTail = 60;

  /// bandwidth: c, positive.
  explicit Prolate(double bandwidth);

  double bandwidth() const { return bandwidth_; }

  /// Returns ψ(x), |x| ≤ 1.
  double operator()(double x) const;
  /// Returns Φ(x) = ∫₀ˣψ, |x| ≤ 1; Φ(1) = 1.
  double integral(double x) const;
  /// Returns dψ/dx, |x| ≤ 1.
  double derivative(double x) const;
  /// Returns the Fourier transform ½ ∫₋₁¹ ψ(x) cos(kx) dx; 1 at k = 0. Beyond c + kTail it is below ψ(1)/k, and 0 is
  /// returned.
  double transform(double k) const;

 private:
  double bandwidth_;
  std::vector<double> coefficient_;    ///< of P₀, P₂, P₄ ...
  std::vector<double> integral_;       ///< of P₁, P₃, P₅ ... in Φ
  std::vector<double> derivative_;     ///< of P₁, P₃, P₅ ... in ψ'
  std::vector<double> node_, weight_;  ///< Gauss-Legendre points in (0, 1), and ψ there times the weight
};

}  // namespace dropmd

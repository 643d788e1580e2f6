#include "forces/mesh/coulomb_split.h"

#include <cmath>

namespace dropmd {

CoulombSplit::CoulombSplit(double cutoff, double bandwidth)
    : cutoff_(cutoff),
      prolate_(bandwidth),
      quadrature_(gauss_legendre(static_cast<std::size_t>(24 + bandwidth), 0, 1)) {}

double CoulombSplit::smooth(double r) const {
  const double x = r / cutoff_;
  if (x >= 1) return 1 / r;
  // Φ(x)/x as the mean of ψ over [0, x], which loses no digits near 0.
  return integrate(quadrature_, [&](double t) { return prolate_(t * x); }) / cutoff_;
}

double CoulombSplit::smooth_force_over_r(double r) const {
  const double x = r / cutoff_;
  if (x >= 1) return 1 / (r * r * r);
  // −L'/r = (Φ − xψ)/r³ = −∫₀ˣ u ψ'(u) du / r³, where ψ'(u)/u is regular; with u = tx.
  const double sum = integrate(quadrature_, [&](double t) {
    const double u = t * x;
    return -t * t * (u > 0 ? prolate_.derivative(u) / u : prolate_.derivative(1e-8) / 1e-8);
  });
  return sum / (cutoff_ * cutoff_ * cutoff_);
}

double CoulombSplit::second_moment() const {
  return cutoff_ * cutoff_ * integrate(quadrature_, [&](double x) { return x * x * prolate_(x); });
}

double CoulombSplit::bandwidth_for(double error) { return std::log(1 / error) + 3.2; }

}  // namespace dropmd

#include "forces/mesh/smooth_kernel.h"

#include <cmath>
#include <cstddef>

namespace dropmd {

SmoothKernel::SmoothKernel(const CoulombSplit& split) : cutoff2_(split.cutoff() * split.cutoff()) {
  constexpr double kPi = 3.14159265358979323846;
  const auto n = static_cast<std::size_t>(28 + split.bandwidth());
  potential_.resize(n);
  force_over_r_.resize(n);
  // The interpolating polynomial at the zeros of T_n, which are cos(θ).
  for (std::size_t node = 0; node < n; ++node) {
    const double angle = kPi * (static_cast<double>(node) + 0.5) / static_cast<double>(n);
    const double r = split.cutoff() * std::cos(0.5 * angle);  // ½ (1 + cos θ) = cos² ½θ
    const double potential = split.smooth(r), force_over_r = split.smooth_force_over_r(r);
    for (std::size_t k = 0; k < n; ++k) {
      const double part = std::cos(static_cast<double>(k) * angle) * (k == 0 ? 1 : 2) / static_cast<double>(n);
      potential_[k] += part * potential;
      force_over_r_[k] += part * force_over_r;
    }
  }
}

SmoothKernel::Value SmoothKernel::operator()(double r2) const {
  if (r2 >= cutoff2_) {
    const double r = std::sqrt(r2);
    return {1 / r, 1 / (r * r2)};
  }
  // Clenshaw's recurrence for both series at once.
  const double x = 2 * r2 / cutoff2_ - 1, twice = 2 * x;
  double p1 = 0, p2 = 0, f1 = 0, f2 = 0;
  for (std::size_t k = potential_.size() - 1; k > 0; --k) {
    const double p = potential_[k] + twice * p1 - p2, f = force_over_r_[k] + twice * f1 - f2;
    p2 = p1, p1 = p;
    f2 = f1, f1 = f;
  }
  return {potential_[0] + x * p1 - p2, force_over_r_[0] + x * f1 - f2};
}

}  // namespace dropmd

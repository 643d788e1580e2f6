#include "forces/mesh/smooth_kernel.h"

#include <cmath>
#include <cstddef>

namespace dropmd {

SmoothKernel::SmoothKernel(const CoulombSplit& split, const std::optional<FormChoice>& pairs)
    : cutoff2_(split.cutoff() * split.cutoff()) {
  if (pairs) {
    pairs_.emplace(*pairs);
    return;
  }
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

}  // namespace dropmd

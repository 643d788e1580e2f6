#pragma once

#include <cmath>
#include <cstdint>

#include "core/philox.h"

namespace dropmd {

/// Returns a random number of the gamma distribution, with density x^(shape - 1) exp(-x)/Γ(shape); 0 for shape 0. It
/// uses rejection from a transformed normal number (Marsaglia and Tsang, ACM Trans. Math. Softw. 26, 363, 2000; at most
/// 5 of 100 attempts are rejected); for a shape below 1 it draws with shape + 1 and multiplies by U^(1/shape) (their
/// section 6). A pure function of key, index and shape: attempt k takes the numbers of blocks first_block + 1 + 2k and
/// the next, and U those of first_block.
DROPMD_HOST_DEVICE inline double gamma_variate(double shape, RandomKey key, std::uint64_t index,
                                               std::uint32_t first_block) {
  if (!(shape > 0)) return 0;
  const bool raised = shape < 1;
  const double d = (raised ? shape + 1 : shape) - 1.0 / 3.0;
  const double c = 1 / std::sqrt(9 * d);
  double drawn = d;
  // The probability that all attempts are rejected is below 1e-80.
  constexpr std::uint32_t kMostAttempts = 64;
  for (std::uint32_t attempt = 0; attempt < kMostAttempts; ++attempt) {
    const std::uint32_t block = first_block + 1 + 2 * attempt;
    const double x = normal_vec3(key, index, block).x;
    const double root = 1 + c * x;
    if (!(root > 0)) continue;
    const double v = root * root * root;
    const double u = uniform_vec3(key, index, block + 1).x;
    if (std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v))) {
      drawn = d * v;
      break;
    }
  }
  if (!raised) return drawn;
  return drawn * std::pow(uniform_vec3(key, index, first_block).x, 1 / shape);
}

}  // namespace dropmd

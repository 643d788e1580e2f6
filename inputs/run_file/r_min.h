#pragma once

namespace dropmd {

/// Returns the Lennard-Jones sigma for the distance of the potential's minimum, r_min = 2^(1/6) sigma.
constexpr double sigma_of_r_min(double r_min) {
  constexpr double kSixthRootOf2 = 1.122462048309373;
  return r_min / kSixthRootOf2;
}

}  // namespace dropmd

#pragma once

#include <cmath>

#include "core/macros.h"
#include "core/vec3.h"

namespace dropmd {

/// U = ½ k (r − r₀)²; k: energy/length², r₀: length. One source for both processors.
struct BondFormula {
  double stiffness, length;

  struct Value {
    double energy;
    Vec3<double> force_on_a;  ///< the force on the other atom is its negative
  };

  /// d: from atom b to atom a.
  DROPMD_HOST_DEVICE Value operator()(const Vec3<double>& d) const {
    const double r = std::sqrt(dot(d, d)), stretch = r - length;
    return {0.5 * stiffness * stretch * stretch, (-stiffness * stretch / r) * d};
  }
};

}  // namespace dropmd

#pragma once

#include "core/vec3.h"

namespace dropmd {

/// One atom as a term of one atom sees it.
struct AtomPoint {
  Vec3<double> position;
  const double* charge;  ///< read by the terms that need it alone
  double time;           ///< in the run's unit; minimisers stay at 0
};

/// What a term of one atom adds.
struct AtomTermValue {
  double energy = 0;
  Vec3<double> force{};
};

}  // namespace dropmd

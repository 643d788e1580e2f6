#pragma once

#include "core/vec3.h"

namespace dropmd {

/// The arguments of a one-body term.
struct AtomPoint {
  Vec3<double> position;  ///< length
  const double* charge;   ///< read only by terms that need it
  double time;            ///< in the run's time unit; 0 in minimisations
};

/// The contribution of a one-body term.
struct AtomTermValue {
  double energy = 0;     ///< in the run's energy unit
  Vec3<double> force{};  ///< energy/length
};

}  // namespace dropmd

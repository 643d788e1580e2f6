#pragma once

#include <cmath>

#include "core/macros.h"
#include "core/vec3.h"

namespace dropmd {

/// A direction that parents define, unless they are collinear or in one place.
struct UnitDirection {
  Vec3<double> unit;      ///< 0 if there is no direction
  double per_length = 0;  ///< 1/length of the vector; 0 if there is no direction

  /// scale: square of the largest length that the vector could have with these parents. A vector shorter than 1e-12 of
  /// that length is what rounding leaves of a zero vector.
  DROPMD_HOST_DEVICE UnitDirection(const Vec3<double>& vector, double scale) {
    constexpr double kRounding = 1e-24;
    const double squared = dot(vector, vector);
    if (!(squared > kRounding * scale)) return;
    per_length = 1 / std::sqrt(squared);
    unit = per_length * vector;
  }

  /// Returns the part of a vector that is perpendicular to the direction, divided by the length: the derivative of the
  /// unit vector, applied to it (the matrix is symmetric); 0 if there is no direction.
  DROPMD_HOST_DEVICE Vec3<double> derivative(const Vec3<double>& vector) const {
    return per_length * (vector - dot(unit, vector) * unit);
  }
};

}  // namespace dropmd

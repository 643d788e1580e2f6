#pragma once

#include "core/macros.h"
#include "core/symmetric_eigen.h"
#include "core/vec3.h"

/// Rotation of a body of atoms as a whole, the same text for both processors.
namespace dropmd {

/// What atoms add to the angular momentum and the inertia tensor about the mass centre.
struct RotationSums {
  Vec3<double> momentum;    ///< Σ m d × (v − drift): mass length²/time
  SymmetricMatrix inertia;  ///< Σ m (d² 1 − d dᵀ): mass length²

  RotationSums() = default;
  /// Of one atom; d: from the mass centre; v: without the drift of the mass centre.
  DROPMD_HOST_DEVICE RotationSums(double m, const Vec3<double>& d, const Vec3<double>& v)
      : momentum(m * cross(d, v)), inertia{m * (d.y * d.y + d.z * d.z), -m * d.x * d.y, -m * d.x * d.z,
                                           m * (d.x * d.x + d.z * d.z), -m * d.y * d.z, m * (d.x * d.x + d.y * d.y)} {}

  DROPMD_HOST_DEVICE RotationSums& operator+=(const RotationSums& o) {
    momentum += o.momentum;
    inertia += o.inertia;
    return *this;
  }

  /// ω = I⁺ L, in 1/time, with the pseudo-inverse: an axis with (nearly) no inertia has no rotation to remove.
  DROPMD_HOST_DEVICE Vec3<double> rate() const {
    constexpr double kNoInertia = 1e-12;  // of the largest: rounding of a linear arrangement stays below
    const SymmetricEigen principal = symmetric_eigen(inertia);
    double largest = 0;
    for (const double moment : principal.value) largest = moment > largest ? moment : largest;
    Vec3<double> rate;
    for (int k = 0; k < 3; ++k) {
      const double moment = principal.value[k];
      if (!(moment > kNoInertia * largest)) continue;
      const Vec3<double>& axis = principal.axis[k];
      rate += (dot(axis, momentum) / moment) * axis;
    }
    return rate;
  }
};

}  // namespace dropmd

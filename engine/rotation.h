#pragma once

#include "core/macros.h"
#include "core/symmetric_eigen.h"
#include "core/vec3.h"

/// Rotation of the atoms as a rigid body; one source for both processors.
namespace dropmd {

/// Contributions of atoms to the angular momentum and the inertia tensor about the centre of mass.
struct RotationSums {
  Vec3<double> momentum;    ///< Σ m d × (v − drift): mass length²/time
  SymmetricMatrix inertia;  ///< Σ m (d² 1 − d dᵀ): mass length²

  RotationSums() = default;
  /// The contribution of one atom. d: from the centre of mass; v: without the velocity of the centre of mass.
  DROPMD_HOST_DEVICE RotationSums(double m, const Vec3<double>& d, const Vec3<double>& v)
      : momentum(m * cross(d, v)), inertia{m * (d.y * d.y + d.z * d.z), -m * d.x * d.y, -m * d.x * d.z,
                                           m * (d.x * d.x + d.z * d.z), -m * d.y * d.z, m * (d.x * d.x + d.y * d.y)} {}

  DROPMD_HOST_DEVICE RotationSums& operator+=(const RotationSums& o) {
    momentum += o.momentum;
    inertia += o.inertia;
    return *this;
  }

  /// Returns ω = I⁺ L, in 1/time, with the pseudo-inverse: about an axis with (nearly) no moment of inertia there is no
  /// rotation to remove.
  DROPMD_HOST_DEVICE Vec3<double> rate() const {
    // Relative to the largest: rounding errors of a linear arrangement are smaller.
    constexpr double kNoInertia = 1e-12;
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

#pragma once

#if defined(__CUDACC__)
#pragma nv_diag_suppress 20012  // Eigen marks defaulted functions for host and device
#endif
#include <Eigen/Eigenvalues>
#if defined(__CUDACC__)
#pragma nv_diag_default 20012
#endif

#include "core/macros.h"
#include "core/vec3.h"

/// Rotation of a body of atoms as a whole, the same text for both processors.
namespace dropmd {

/// What one atom adds to the angular momentum and the inertia tensor about the mass centre.
struct RotationSums {
  Vec3<double> momentum;                                  ///< Σ m d × (v − drift): mass length²/time
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;  ///< of the inertia tensor: mass length²

  RotationSums() = default;
  /// d: from the mass centre; v: without the drift of the mass centre.
  DROPMD_HOST_DEVICE RotationSums(double m, const Vec3<double>& d, const Vec3<double>& v)
      : momentum(m * cross(d, v)),
        xx(m * (d.y * d.y + d.z * d.z)),
        xy(-m * d.x * d.y),
        xz(-m * d.x * d.z),
        yy(m * (d.x * d.x + d.z * d.z)),
        yz(-m * d.y * d.z),
        zz(m * (d.x * d.x + d.y * d.y)) {}

  DROPMD_HOST_DEVICE RotationSums& operator+=(const RotationSums& o) {
    momentum += o.momentum;
    xx += o.xx, xy += o.xy, xz += o.xz, yy += o.yy, yz += o.yz, zz += o.zz;
    return *this;
  }

  /// ω = I⁺ L, in 1/time, with the pseudo-inverse: an axis with (nearly) no inertia has no rotation.
  DROPMD_HOST_DEVICE Vec3<double> rate() const {
    Eigen::Matrix3d inertia;
    inertia << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    const Eigen::Vector3d angular(momentum.x, momentum.y, momentum.z);
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes(inertia);
    const double kNoInertia = 1e-12;  // of the largest: rounding of a linear arrangement stays below
    Eigen::Vector3d rate = Eigen::Vector3d::Zero();
    for (int k = 0; k < 3; ++k) {
      const double moment = axes.eigenvalues()[k];
      if (!(moment > kNoInertia * axes.eigenvalues()[2])) continue;
      const Eigen::Vector3d axis = axes.eigenvectors().col(k);
      rate += (axis.dot(angular) / moment) * axis;
    }
    return {rate.x(), rate.y(), rate.z()};
  }
};

}  // namespace dropmd

#pragma once

#include <cstddef>
#include <cstdint>

#include "core/macros.h"
#include "core/vec3.h"

/// Sites at weighted means: r = Σ w_p r_p, computed as r_0 + Σ w_p (r_p − r_0), whose precision does not depend on the
/// distance from the origin. The first weight is thus 1 minus the others, so that total force and torque stay the same
/// however the sum of the weights was rounded.
namespace dropmd {

/// A view of one weighted site.
struct WeightedParents {
  const std::uint32_t* parent;  ///< [n] indices
  const double* weight;         ///< [n]
  std::size_t n;                ///< at least 1

  /// Returns the mean of the parents' positions, which is that of the site.
  DROPMD_HOST_DEVICE Vec3<double> mean(const Vec3<double>* vector) const {
    const Vec3<double> first = vector[parent[0]];
    Vec3<double> sum;
    for (std::size_t p = 1; p < n; ++p) sum += weight[p] * (vector[parent[p]] - first);
    return first + sum;
  }

  /// Adds the force of the site to those of its parents.
  DROPMD_HOST_DEVICE void spread(const Vec3<double>& site_force, Vec3<double>* force) const {
    Vec3<double> others;
    for (std::size_t p = 1; p < n; ++p) {
      const Vec3<double> share = weight[p] * site_force;
      force[parent[p]] += share;
      others += share;
    }
    force[parent[0]] += site_force - others;
  }
};

}  // namespace dropmd

#pragma once

#include "core/vec3.h"
#include "forces/force_sums.cuh"

namespace dropmd {

#if defined(__CUDACC__)

/// Returns a force on a virtual site in whole quanta of the sums, so that what its parents receive adds up to it
/// exactly.
template <class Real>
__device__ Vec3<long long> whole_quanta(const ForceSumsView<Real>& sums, const Vec3<double>& force) {
  const auto per_force = static_cast<double>(sums.quanta);
  return {__double2ll_rn(force.x * per_force), __double2ll_rn(force.y * per_force),
          __double2ll_rn(force.z * per_force)};
}

#endif

}  // namespace dropmd

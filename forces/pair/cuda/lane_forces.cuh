#pragma once

#include "core/lanes/lanes.h"
#include "core/vec3.h"
#include "device/warp.cuh"

namespace dropmd {

#if defined(__CUDACC__)

/// Forces on n atoms, summed over a warp, with a part in every lane. n: a power of two.
template <class Real, int n>
struct LaneForces {
  static constexpr unsigned kLanesOfAtom = 32 / n;

  Vec3<Real> force[n];

  __device__ void clear() {
#pragma unroll
    for (Vec3<Real>& f : force) f = {0, 0, 0};
  }

  /// Returns the sum over the lanes for atom lane/kLanesOfAtom. Each exchange halves the number of atoms that a lane
  /// sums; then the lanes of one atom are added.
  __device__ Vec3<Real> of_atom_of_lane(unsigned lane) {
#pragma unroll
    for (int half = n / 2, mask = 16; half > 0; half /= 2, mask /= 2) {
      const bool upper = (lane & static_cast<unsigned>(mask)) != 0;
#pragma unroll
      for (int k = 0; k < half; ++k) {
        const Vec3<Real> keep = upper ? force[half + k] : force[k], give = upper ? force[k] : force[half + k];
        force[k] = keep + from_lane_xor(give, mask);
      }
    }
#pragma unroll
    for (unsigned mask = kLanesOfAtom / 2; mask > 0; mask /= 2)
      force[0] += from_lane_xor(force[0], static_cast<int>(mask));
    return force[0];
  }
};

#endif

}  // namespace dropmd

#pragma once

#include "forces/mesh/cuda/outside.cuh"

namespace dropmd {

#if defined(__CUDACC__)

/// A cuboid around atoms, in fp32, rounded outwards.
struct AtomCuboid {
  float low[3], high[3];  ///< in the wrong order if there are no atoms

  __device__ bool empty() const { return low[0] > high[0]; }
  __device__ void add(const AtomCuboid& other) {
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = fminf(low[axis], other.low[axis]);
      high[axis] = fmaxf(high[axis], other.high[axis]);
    }
  }
  /// Whether a charge may be closer than a range to an atom. True if rounding leaves this in doubt.
  __device__ bool may_reach(const OutsideAtom& charge, float range2) const {
    const auto beyond = [&](float at, int axis) {
      constexpr float kRounding = 3e-7F;
      return fmaxf(fmaxf(low[axis] - at, at - high[axis]) - kRounding * fabsf(at), 0.0F);
    };
    constexpr float kLess = 1 - 1e-5F;
    const float a = beyond(charge.x, 0), b = beyond(charge.y, 1), c = beyond(charge.z, 2);
    return !empty() && kLess * (a * a + b * b + c * c) < range2;
  }
};

#endif

}  // namespace dropmd

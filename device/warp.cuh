#pragma once

#include "core/vec3.h"

namespace dropmd {

#if defined(__CUDACC__)

/// Returns the vector of the lane whose index differs in the bits of mask. All lanes of a warp must call it.
template <class T>
__device__ inline Vec3<T> from_lane_xor(const Vec3<T>& v, int mask) {
  return {__shfl_xor_sync(0xFFFFFFFFU, v.x, mask), __shfl_xor_sync(0xFFFFFFFFU, v.y, mask),
          __shfl_xor_sync(0xFFFFFFFFU, v.z, mask)};
}

/// Returns the vector of a lane. All lanes of a warp must call it.
template <class T>
__device__ inline Vec3<T> from_lane(const Vec3<T>& v, int lane) {
  return {__shfl_sync(0xFFFFFFFFU, v.x, lane), __shfl_sync(0xFFFFFFFFU, v.y, lane),
          __shfl_sync(0xFFFFFFFFU, v.z, lane)};
}

#endif

}  // namespace dropmd

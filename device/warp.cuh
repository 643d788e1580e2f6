#pragma once

#include "core/vec3.h"

namespace dropmd {

#if defined(__CUDACC__)

/// The vector of the lane whose number differs in the bits of mask; by a whole warp.
template <class T>
__device__ inline Vec3<T> from_lane_xor(const Vec3<T>& v, int mask) {
  return {__shfl_xor_sync(0xFFFFFFFFU, v.x, mask), __shfl_xor_sync(0xFFFFFFFFU, v.y, mask),
          __shfl_xor_sync(0xFFFFFFFFU, v.z, mask)};
}

/// The vector of a lane; by a whole warp.
template <class T>
__device__ inline Vec3<T> from_lane(const Vec3<T>& v, int lane) {
  return {__shfl_sync(0xFFFFFFFFU, v.x, lane), __shfl_sync(0xFFFFFFFFU, v.y, lane),
          __shfl_sync(0xFFFFFFFFU, v.z, lane)};
}

#endif

}  // namespace dropmd

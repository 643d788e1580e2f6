#pragma once

#include <cstdint>
#include <limits>

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

/// Returns the sum of the lanes' numbers, in every lane. All lanes of a warp must call it.
__device__ inline std::uint32_t sum_of_warp(std::uint32_t n) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xFFFFFFFFU, n);
#else
  for (int mask = 16; mask > 0; mask /= 2) n += __shfl_xor_sync(0xFFFFFFFFU, n, mask);
  return n;
#endif
}

/// Returns the least, or the largest, of the lanes' numbers. All lanes of a warp must call it.
__device__ inline int least_of_warp(int x) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(0xFFFFFFFFU, x);
#else
  for (int mask = 16; mask > 0; mask /= 2) x = min(x, __shfl_xor_sync(0xFFFFFFFFU, x, mask));
  return x;
#endif
}
__device__ inline int largest_of_warp(int x) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(0xFFFFFFFFU, x);
#else
  for (int mask = 16; mask > 0; mask /= 2) x = max(x, __shfl_xor_sync(0xFFFFFFFFU, x, mask));
  return x;
#endif
}

namespace warp_detail {

/// Returns an integer that is ordered like the number, for reductions; and the number of such an integer.
__device__ inline int ordered(float x) {
  const int bits = __float_as_int(x);
  return bits < 0 ? bits ^ std::numeric_limits<int>::max() : bits;
}
__device__ inline float from_ordered(int x) { return __int_as_float(x < 0 ? x ^ std::numeric_limits<int>::max() : x); }

}  // namespace warp_detail

/// The same in fp32.
__device__ inline float least_of_warp(float x) {
  return warp_detail::from_ordered(least_of_warp(warp_detail::ordered(x)));
}
__device__ inline float largest_of_warp(float x) {
  return warp_detail::from_ordered(largest_of_warp(warp_detail::ordered(x)));
}

#endif

}  // namespace dropmd

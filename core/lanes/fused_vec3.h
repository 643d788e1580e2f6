#pragma once

#include "core/lanes/lanes.h"
#include "core/vec3.h"

/// Operations on vectors with fused multiply-adds (lane_fma). CUDA code of this project is compiled without implicit
/// ones, so that processors agree to the last bit; code that need not agree takes about half as many instructions with
/// explicit ones.
namespace dropmd {

/// Scalar product.
template <class T>
DROPMD_HOST_DEVICE inline T fused_dot(const Vec3<T>& a, const Vec3<T>& b) {
  return lane_fma(a.x, b.x, lane_fma(a.y, b.y, a.z * b.z));
}

/// Vector product.
template <class T>
DROPMD_HOST_DEVICE inline Vec3<T> fused_cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {lane_fma(a.y, b.z, -(a.z * b.y)), lane_fma(a.z, b.x, -(a.x * b.z)), lane_fma(a.x, b.y, -(a.y * b.x))};
}

/// Returns s a + b.
template <class T>
DROPMD_HOST_DEVICE inline Vec3<T> fused_multiply_add(T s, const Vec3<T>& a, const Vec3<T>& b) {
  return {lane_fma(s, a.x, b.x), lane_fma(s, a.y, b.y), lane_fma(s, a.z, b.z)};
}

}  // namespace dropmd

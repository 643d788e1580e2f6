#pragma once

#include <type_traits>

#include "core/lanes/lanes.h"

namespace dropmd {

/// Returns 1/√x of one lane, for sums in which digits matter more than speed: on the device the approximate instruction
/// of lane_rsqrt() gives r⁻¹² a relative error of up to 2e-6.
template <class Lane>
DROPMD_HOST_DEVICE inline Lane lane_precise_rsqrt(Lane x) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<Lane, float>) return ::__frsqrt_rn(x);
#endif
  return lane_rsqrt(x);
}

/// Returns 1/x with the same precision; rsqrt is lane_precise_rsqrt(x).
template <class Lane>
DROPMD_HOST_DEVICE inline Lane lane_precise_inverse(Lane x, Lane rsqrt) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<Lane, float>) return ::__frcp_rn(x);
#endif
  static_cast<void>(x);
  return rsqrt * rsqrt;
}

}  // namespace dropmd

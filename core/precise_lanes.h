#pragma once

#include <type_traits>

#include "core/lanes.h"

namespace dropmd {

/// 1/√x for sums that need digits more than speed, of one lane: on the device the approximate instruction of
/// lane_rsqrt() costs r⁻¹² up to 2e-6 of itself.
template <class Lane>
DROPMD_HOST_DEVICE inline Lane lane_precise_rsqrt(Lane x) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<Lane, float>) return ::__frsqrt_rn(x);
#endif
  return lane_rsqrt(x);
}

/// 1/x likewise; rsqrt: its lane_precise_rsqrt().
template <class Lane>
DROPMD_HOST_DEVICE inline Lane lane_precise_inverse(Lane x, Lane rsqrt) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<Lane, float>) return ::__frcp_rn(x);
#endif
  static_cast<void>(x);
  return rsqrt * rsqrt;
}

}  // namespace dropmd

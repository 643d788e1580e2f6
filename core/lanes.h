#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/macros.h"

/// The arithmetic that pair physics needs, for one lane (float, double; host and device). core/simd_lanes.h adds the
/// same functions for SIMD packs. Pair physics calls nothing else, so one text serves every processor.
namespace dropmd {

/// The scalar that a lane type carries.
template <class Lane>
struct LaneTraits {
  using Real = Lane;
  static constexpr int kWidth = 1;
};
template <class Lane>
using LaneReal = typename LaneTraits<Lane>::Real;

/// a·b + c rounded once where the instruction set has it: squared distances then agree to the last bit between scalars,
/// packs and GPU. A baseline build without FMA rounds twice on the CPU.
template <class T>
DROPMD_HOST_DEVICE inline T lane_fma(T a, T b, T c) {
#if defined(__CUDA_ARCH__)
  return ::fma(a, b, c);
#elif defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return std::fma(a, b, c);
#else
  return a * b + c;
#endif
}

DROPMD_HOST_DEVICE inline double lane_rsqrt(double x) {
#if defined(__CUDA_ARCH__)
  return ::rsqrt(x);
#else
  return 1.0 / std::sqrt(x);
#endif
}

/// On the device the approximate instruction with denormals flushed: relative error below 2^-22.4 (PTX ISA,
/// rsqrt.approx), three instructions fewer than rsqrtf.
DROPMD_HOST_DEVICE inline float lane_rsqrt(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1.0F / std::sqrt(x);
#endif
}

DROPMD_HOST_DEVICE inline float lane_exp(float x) { return ::expf(x); }
DROPMD_HOST_DEVICE inline double lane_exp(double x) { return ::exp(x); }
DROPMD_HOST_DEVICE inline float lane_erfc(float x) { return ::erfcf(x); }
DROPMD_HOST_DEVICE inline double lane_erfc(double x) { return ::erfc(x); }

/// max(x, 0) of an x ≤ 1: the GPU saturates a result to [0, 1] without an instruction of its own.
DROPMD_HOST_DEVICE inline float lane_ramp(float x) {
#if defined(__CUDA_ARCH__)
  return ::__saturatef(x);
#else
  return x > 0 ? x : 0;
#endif
}
DROPMD_HOST_DEVICE inline double lane_ramp(double x) { return x > 0 ? x : 0; }

template <class T>
DROPMD_HOST_DEVICE inline T lane_select(bool mask, T yes, T no) {
  return mask ? yes : no;
}

/// 1.5·2²³: the sum with a small float has the nearest whole number in its last bits.
inline constexpr float kRoundingFloat = 12582912.0F;

/// x·2ⁿ of x in [0.5, 2) for a float that is kRoundingFloat + n; n ≥ -125.
DROPMD_HOST_DEVICE inline float lane_scaled(float x, float shifted_n) {
#if defined(__CUDA_ARCH__)
  return ::__uint_as_float(::__float_as_uint(x) + (::__float_as_uint(shifted_n) << 23U));
#else
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) + (std::bit_cast<std::uint32_t>(shifted_n) << 23U));
#endif
}

}  // namespace dropmd

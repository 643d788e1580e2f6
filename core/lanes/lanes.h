#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/macros.h"

/// The arithmetic that pair physics needs, for one lane (float, double; host and device). core/lanes/simd_lanes.h adds the
/// same functions for SIMD packs. Pair physics calls nothing else, so one source serves every processor.
namespace dropmd {

/// The scalar type and the number of lanes of a lane type.
template <class Lane>
struct LaneTraits {
  using Real = Lane;
  static constexpr int kWidth = 1;
};
/// The scalar type of a lane type.
template <class Lane>
using LaneReal = typename LaneTraits<Lane>::Real;

/// Returns a·b + c, rounded once where the instruction set has a fused multiply-add: squared distances then agree to
/// the last bit between scalars, packs and GPU. A baseline build without FMA rounds twice on the CPU.
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

/// Returns 1/√x.
DROPMD_HOST_DEVICE inline double lane_rsqrt(double x) {
#if defined(__CUDA_ARCH__)
  return ::rsqrt(x);
#else
  return 1.0 / std::sqrt(x);
#endif
}

/// Returns 1/√x. On the device this is the approximate instruction with denormals flushed to zero: its relative error
/// is below 2^-22.4 (PTX ISA, rsqrt.approx), and it saves three instructions over rsqrtf.
DROPMD_HOST_DEVICE inline float lane_rsqrt(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1.0F / std::sqrt(x);
#endif
}

/// Exponential and complementary error function of the standard library.
DROPMD_HOST_DEVICE inline float lane_exp(float x) { return ::expf(x); }
DROPMD_HOST_DEVICE inline double lane_exp(double x) { return ::exp(x); }
DROPMD_HOST_DEVICE inline float lane_erfc(float x) { return ::erfcf(x); }
DROPMD_HOST_DEVICE inline double lane_erfc(double x) { return ::erfc(x); }

/// Returns max(x, 0) for x ≤ 1: the GPU saturates a result to [0, 1] without an extra instruction.
DROPMD_HOST_DEVICE inline float lane_ramp(float x) {
#if defined(__CUDA_ARCH__)
  return ::__saturatef(x);
#else
  return x > 0 ? x : 0;
#endif
}
DROPMD_HOST_DEVICE inline double lane_ramp(double x) { return x > 0 ? x : 0; }

/// Returns `yes` where the mask is set and `no` elsewhere.
template <class T>
DROPMD_HOST_DEVICE inline T lane_select(bool mask, T yes, T no) {
  return mask ? yes : no;
}

/// 1.5·2²³. Adding it to a small float leaves the nearest integer in the last bits of the sum.
inline constexpr float kRoundingFloat = 12582912.0F;

/// Returns x·2ⁿ for x in [0.5, 2), where the second argument is kRoundingFloat + n and n ≥ -125.
DROPMD_HOST_DEVICE inline float lane_scaled(float x, float shifted_n) {
#if defined(__CUDA_ARCH__)
  return ::__uint_as_float(::__float_as_uint(x) + (::__float_as_uint(shifted_n) << 23U));
#else
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) + (std::bit_cast<std::uint32_t>(shifted_n) << 23U));
#endif
}

}  // namespace dropmd

#pragma once

#include <bit>
#include <cstdint>
#include <experimental/simd>
#include <type_traits>

#if defined(__AVX__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "core/lanes/lanes.h"

/// SIMD packs as lane types: the CPU's native vectors, through std::experimental::simd (Parallelism TS 2).
namespace dropmd {

namespace stdx = std::experimental;

/// The widest native pack of a scalar type.
template <class Real>
using Pack = stdx::native_simd<Real>;

/// Traits of a pack, as in core/lanes/lanes.h.
template <class T, class Abi>
struct LaneTraits<stdx::simd<T, Abi>> {
  using Real = T;
  static constexpr int kWidth = static_cast<int>(stdx::simd<T, Abi>::size());
};

/// Returns a·b + c, by an intrinsic where there is one: libstdc++ 12 computes stdx::fma lane by lane.
template <class T, class Abi>
inline stdx::simd<T, Abi> lane_fma(stdx::simd<T, Abi> a, stdx::simd<T, Abi> b, stdx::simd<T, Abi> c) {
  using P = stdx::simd<T, Abi>;
#if defined(__FMA__) && defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float> && P::size() == 16)
    return P(_mm512_fmadd_ps(static_cast<__m512>(a), static_cast<__m512>(b), static_cast<__m512>(c)));
  if constexpr (std::is_same_v<T, double> && P::size() == 8)
    return P(_mm512_fmadd_pd(static_cast<__m512d>(a), static_cast<__m512d>(b), static_cast<__m512d>(c)));
#endif
#if defined(__FMA__)
  if constexpr (std::is_same_v<T, float> && P::size() == 8)
    return P(_mm256_fmadd_ps(static_cast<__m256>(a), static_cast<__m256>(b), static_cast<__m256>(c)));
  if constexpr (std::is_same_v<T, double> && P::size() == 4)
    return P(_mm256_fmadd_pd(static_cast<__m256d>(a), static_cast<__m256d>(b), static_cast<__m256d>(c)));
#endif
  return a * b + c;
}

template <class Abi>
inline stdx::simd<double, Abi> lane_rsqrt(stdx::simd<double, Abi> x) {
  return 1.0 / stdx::sqrt(x);
}

/// Returns 1/√x: the hardware estimate and one step of third order where there is an estimate, else 1/sqrt. The
/// estimate is accurate to 2⁻¹¹ (AVX-512: 2⁻¹⁴); a Newton step would leave a bias of up to 2e-7, which is visible in
/// the forces of cold crystals.
template <class Abi>
inline stdx::simd<float, Abi> lane_rsqrt(stdx::simd<float, Abi> x) {
  using P = stdx::simd<float, Abi>;
  [[maybe_unused]] const auto refined = [x](P y) {
    const P xy = x * y;
    const P h = lane_fma(-xy, y, P(1.0F));  // 1 - x y²: y (1 - h)^(-1/2) = y (1 + h/2 + 3h²/8 + ...)
    return lane_fma(y * h, lane_fma(h, P(0.375F), P(0.5F)), y);
  };
#if defined(__AVX512F__)
  if constexpr (P::size() == 16) return refined(P(_mm512_rsqrt14_ps(static_cast<__m512>(x))));
#endif
#if defined(__AVX__)
  if constexpr (P::size() == 8) return refined(P(_mm256_rsqrt_ps(static_cast<__m256>(x))));
#endif
  return 1.0F / stdx::sqrt(x);
}

template <class T, class Abi>
inline stdx::simd<T, Abi> lane_exp(stdx::simd<T, Abi> x) {
  return stdx::exp(x);
}
template <class T, class Abi>
inline stdx::simd<T, Abi> lane_erfc(stdx::simd<T, Abi> x) {
  return stdx::erfc(x);
}

template <class Abi>
inline stdx::simd<float, Abi> lane_scaled(stdx::simd<float, Abi> x, stdx::simd<float, Abi> shifted_n) {
  using Bits = stdx::rebind_simd_t<std::uint32_t, stdx::simd<float, Abi>>;
  return std::bit_cast<stdx::simd<float, Abi>>(std::bit_cast<Bits>(x) + (std::bit_cast<Bits>(shifted_n) << 23));
}
template <class T, class Abi>
inline stdx::simd<T, Abi> lane_ramp(stdx::simd<T, Abi> x) {
  return stdx::max(x, stdx::simd<T, Abi>(T(0)));
}

/// Adds value[lane] to sum[lane] in fp64, by an intrinsic where libstdc++ 12 would convert lane by lane. sum: aligned
/// as two packs of double.
template <class T, class Abi>
inline void add_widened(double* sum, stdx::simd<T, Abi> value) {
  using P = stdx::simd<T, Abi>;
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float> && P::size() == 16) {
    const auto v = static_cast<__m512>(value);
    const __m256 high = _mm512_extractf32x8_ps(v, 1);
    _mm512_store_pd(sum, _mm512_add_pd(_mm512_load_pd(sum), _mm512_cvtps_pd(_mm512_castps512_ps256(v))));
    _mm512_store_pd(sum + 8, _mm512_add_pd(_mm512_load_pd(sum + 8), _mm512_cvtps_pd(high)));
    return;
  }
#endif
#if defined(__AVX__)
  if constexpr (std::is_same_v<T, float> && P::size() == 8) {
    const auto v = static_cast<__m256>(value);
    const __m128 low = _mm256_castps256_ps128(v), high = _mm256_extractf128_ps(v, 1);
    _mm256_store_pd(sum, _mm256_add_pd(_mm256_load_pd(sum), _mm256_cvtps_pd(low)));
    _mm256_store_pd(sum + 4, _mm256_add_pd(_mm256_load_pd(sum + 4), _mm256_cvtps_pd(high)));
    return;
  }
#endif
  for (std::size_t lane = 0; lane < P::size(); ++lane) sum[lane] += static_cast<double>(value[lane]);
}

template <class T, class Abi>
inline stdx::simd<T, Abi> lane_select(stdx::simd_mask<T, Abi> mask, stdx::simd<T, Abi> yes, stdx::simd<T, Abi> no) {
  stdx::where(mask, no) = yes;
  return no;
}

}  // namespace dropmd

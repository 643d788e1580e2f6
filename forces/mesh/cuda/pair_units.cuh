#pragma once

#include <algorithm>
#include <cmath>

#include "core/vec3.h"

namespace dropmd {

#if defined(__CUDACC__)

/// A position from which differences are computed in a precision, so that their error is that of their own rounding.
template <class Compute>
struct PairPosition;
template <>
struct PairPosition<double> {
  Vec3<double> at{};

  PairPosition() = default;
  __device__ explicit PairPosition(const Vec3<double>& x) : at(x) {}
  __device__ Vec3<double> operator-(const PairPosition& other) const { return at - other.at; }
};
/// The sum of two numbers in fp32, since conversions of differences from fp64 have an eighth of the throughput of
/// additions in fp32 (compute capability 9.0).
template <>
struct PairPosition<float> {
  Vec3<float> high{}, low{};

  PairPosition() = default;
  __device__ explicit PairPosition(const Vec3<double>& x)
      : high{static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z)},
        low{rest(x.x, high.x), rest(x.y, high.y), rest(x.z, high.z)} {}
  __device__ Vec3<float> operator-(const PairPosition& other) const { return (high - other.high) + (low - other.low); }

 private:
  static __device__ float rest(double x, float rounded) { return static_cast<float>(x - static_cast<double>(rounded)); }
};

/// The unit in which forces of pairs are added: a power of two of quanta. In fp32 it is such that the largest force has
/// 30 bits, since conversions to 32 bits have four times the throughput of those to 64.
template <class Compute>
struct PairUnit {
  Compute per_force;  ///< units per force
  int shift = 0;      ///< quanta per unit, as a power of two

  /// most_force: of a pair; quanta: per force, a power of two.
  PairUnit(double most_force, double quanta) {
    constexpr int kBits = 30;
    if (sizeof(Compute) == sizeof(float) && most_force > 0)
      shift = std::max(0, static_cast<int>(std::ceil(std::log2(most_force * quanta))) - kBits);
    per_force = static_cast<Compute>(std::ldexp(quanta, -shift));
  }
};

#endif

}  // namespace dropmd

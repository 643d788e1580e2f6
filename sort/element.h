#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/macros.h"

/// The elements that are sorted: unsigned integers that are unique within their array, so that any sorting network is
/// stable and yields the permutation at no cost. All arithmetic is in integers or in fp64 without contraction, so that
/// CPU and GPU results are bitwise identical.
namespace dropmd {

/// A 16-bit coordinate and, below it, the 16-bit index in the array (E. S. Fomin, 2013).
using PackedWord = std::uint32_t;

/// A 32-bit real with its index: see real_element().
using RealElement = std::uint64_t;

/// The longest array whose indices fit a packed word.
inline constexpr int kMaxPackedLength = 1 << 16;

inline constexpr double kLargestCode = 65535;

DROPMD_HOST_DEVICE constexpr PackedWord pack_word(std::uint32_t code, std::uint32_t index) {
  return code << 16 | index;
}
DROPMD_HOST_DEVICE constexpr std::uint32_t code_of(PackedWord word) { return word >> 16; }
DROPMD_HOST_DEVICE constexpr std::uint32_t index_of(PackedWord word) { return word & 0xFFFF; }

/// How an array's values are mapped to 16 bits. A finite value x with code c satisfies |x - (lowest + c·quantum)| <=
/// quantum/2 (1 + 1e-9), so code that compares codes instead of values must increase a cutoff by one quantum. quantum =
/// range/65535, rounded up to fp32; 0 if all finite values are equal or there are none.
struct Quantization {
  float lowest;
  float quantum;

  friend bool operator==(const Quantization&, const Quantization&) = default;
};

/// The range of an array's finite values, while it is being determined.
struct FiniteRange {
  float lowest = std::numeric_limits<float>::infinity();
  float highest = -std::numeric_limits<float>::infinity();

  DROPMD_HOST_DEVICE constexpr bool empty() const { return !(lowest <= highest); }

  /// Includes a value; infinities and NaN are ignored. -0 counts as +0, so that the result does not depend on the order
  /// of the values.
  DROPMD_HOST_DEVICE constexpr void add(float x) {
    constexpr float kMax = std::numeric_limits<float>::max();
    if (!(x >= -kMax && x <= kMax)) return;
    x += 0.0F;
    if (x < lowest) lowest = x;
    if (x > highest) highest = x;
  }
};

DROPMD_HOST_DEVICE inline float rounded_up_to_float(double x) {
  const auto nearest = static_cast<float>(x);
  if (static_cast<double>(nearest) >= x) return nearest;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(nearest) + 1);  // x > 0: the next larger float
}

DROPMD_HOST_DEVICE inline Quantization quantization_of(FiniteRange range) {
  if (range.empty()) return {0, 0};
  return {range.lowest,
          rounded_up_to_float((static_cast<double>(range.highest) - static_cast<double>(range.lowest)) / kLargestCode)};
}

/// The monotonic map of one array's values to 0..65535: the nearest code; -infinity becomes 0, +infinity and NaN 65535.
class Quantizer {
 public:
  DROPMD_HOST_DEVICE explicit Quantizer(FiniteRange range) {
    const Quantization quantization = quantization_of(range);
    lowest_ = quantization.lowest;
    if (quantization.quantum > 0) codes_per_unit_ = 1 / static_cast<double>(quantization.quantum);
  }

  DROPMD_HOST_DEVICE std::uint32_t operator()(float x) const {
    constexpr float kMax = std::numeric_limits<float>::max();
    if (x < -kMax) return 0;
    if (!(x <= kMax)) return static_cast<std::uint32_t>(kLargestCode);
    // In fp64 neither the difference of two floats nor the quotient of a subnormal range overflows or vanishes.
    const double code = (static_cast<double>(x) - lowest_) * codes_per_unit_ + 0.5;
    return code >= kLargestCode ? static_cast<std::uint32_t>(kLargestCode) : static_cast<std::uint32_t>(code);
  }

 private:
  double lowest_ = 0;
  double codes_per_unit_ = 0;
};

/// Returns the bits of x as an unsigned integer in the order of the reals: -infinity first, -0 and +0 equal, then
/// +infinity, then all NaN, which are equal.
DROPMD_HOST_DEVICE inline std::uint32_t ordered_bits(float x) {
  if (x != x) return 0xFFFFFFFFU;
  const auto bits = std::bit_cast<std::uint32_t>(x + 0.0F);  // -0 becomes +0
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

/// Returns the ordered bits and, below them, the index and the sign of a zero: unique, with ties in the order of
/// indices, and the real can be restored bit for bit (a NaN becomes the quiet one).
DROPMD_HOST_DEVICE inline RealElement real_element(float x, std::uint32_t index) {
  const bool negative_zero = std::bit_cast<std::uint32_t>(x) == 0x80000000U;
  return static_cast<RealElement>(ordered_bits(x)) << 32 | index << 1 | (negative_zero ? 1U : 0U);
}

DROPMD_HOST_DEVICE inline std::uint32_t index_of(RealElement element) {
  return static_cast<std::uint32_t>(element) >> 1;
}

DROPMD_HOST_DEVICE inline float real_of(RealElement element) {
  const auto ordered = static_cast<std::uint32_t>(element >> 32);
  if (ordered == 0xFFFFFFFFU) return std::bit_cast<float>(0x7FC00000U);
  if ((element & 1U) != 0) return -0.0F;
  return std::bit_cast<float>((ordered & 0x80000000U) != 0 ? ordered & 0x7FFFFFFFU : ~ordered);
}

}  // namespace dropmd

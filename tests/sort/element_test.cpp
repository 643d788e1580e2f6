#include "sort/element.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/sort_data.h"

namespace dropmd {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kMax = std::numeric_limits<float>::max();
constexpr float kTiny = std::numeric_limits<float>::denorm_min();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

FiniteRange range_of(const std::vector<float>& values) {
  FiniteRange range;
  for (const float x : values) range.add(x);
  return range;
}

/// Checks the documented distance of a finite value from the value of its code, in long double.
void expect_within_half_a_quantum(const std::vector<float>& values) {
  const FiniteRange range = range_of(values);
  const Quantizer quantize(range);
  const Quantization q = quantization_of(range);
  for (const float x : values) {
    if (!std::isfinite(x)) continue;
    const std::uint32_t code = quantize(x);
    ASSERT_LE(code, 65535U);
    const auto decoded = static_cast<long double>(q.lowest) + static_cast<long double>(code) * q.quantum;
    ASSERT_LE(std::abs(static_cast<long double>(x) - decoded), 0.5L * q.quantum * (1 + 1e-9L))
        << x << " of [" << range.lowest << ", " << range.highest << "]";
  }
}

TEST(PackedWord, HoldsCodeAboveIndex) {
  for (const std::uint32_t code : {0U, 1U, 0x8000U, 0xFFFFU})
    for (const std::uint32_t index : {0U, 1U, 1023U, 0xFFFFU}) {
      const PackedWord word = pack_word(code, index);
      EXPECT_EQ(code_of(word), code);
      EXPECT_EQ(index_of(word), index);
    }
  EXPECT_LT(pack_word(3, 0xFFFF), pack_word(4, 0));
  EXPECT_LT(pack_word(3, 7), pack_word(3, 8));
}

TEST(FiniteRange, LeavesOutInfinitiesAndNaN) {
  EXPECT_TRUE(range_of({}).empty());
  EXPECT_TRUE(range_of({kInfinity, -kInfinity, kNaN}).empty());
  const FiniteRange range = range_of({kNaN, 2, -kInfinity, -3, kInfinity});
  EXPECT_EQ(range.lowest, -3);
  EXPECT_EQ(range.highest, 2);
}

TEST(FiniteRange, DoesNotDependOnTheOrderOfZeros) {
  for (const std::vector<float>& zeros : {std::vector<float>{-0.0F, 0.0F}, {0.0F, -0.0F}, {-0.0F}}) {
    const FiniteRange range = range_of(zeros);
    EXPECT_FALSE(std::signbit(range.lowest));
    EXPECT_FALSE(std::signbit(range.highest));
    EXPECT_EQ(quantization_of(range), (Quantization{0, 0}));
  }
}

TEST(Quantizer, IsMonotone) {
  for (const SortPattern pattern : kAllPatterns) {
    std::vector<float> values = make_reals(pattern, 2000, 5);
    values.erase(std::remove_if(values.begin(), values.end(), [](float x) { return std::isnan(x); }), values.end());
    std::sort(values.begin(), values.end());
    const Quantizer quantize(range_of(values));
    for (std::size_t i = 1; i < values.size(); ++i)
      ASSERT_LE(quantize(values[i - 1]), quantize(values[i])) << name_of(pattern) << ' ' << values[i];
  }
}

TEST(Quantizer, StaysWithinHalfAQuantum) {
  for (const SortPattern pattern : kAllPatterns) {
    SCOPED_TRACE(name_of(pattern));
    expect_within_half_a_quantum(make_reals(pattern, 3000, 7));
  }
  expect_within_half_a_quantum({-kMax, kMax, 0, 1, -1, kTiny});
  expect_within_half_a_quantum({0, kTiny});
  expect_within_half_a_quantum({kTiny, 2 * kTiny, 3 * kTiny});
  expect_within_half_a_quantum({-kTiny, 0, kTiny});
  expect_within_half_a_quantum({kMax, std::nextafter(kMax, 0.0F)});
  expect_within_half_a_quantum({5});
}

/// Ranges of any size at any distance from zero.
TEST(Quantizer, StaysWithinHalfAQuantumOfRandomRanges) {
  std::mt19937 random(3);
  const auto any_float = [&] {
    for (;;)
      if (const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(random())); std::isfinite(x)) return x;
  };
  for (int trial = 0; trial < 3000; ++trial) {
    const float centre = any_float();
    const int exponent = static_cast<int>(random() % 60) - 30;
    std::vector<float> values;
    for (int i = 0; i < 40; ++i) {
      const double x = centre * (1 + std::ldexp(unit_uniform(random) - 0.5, exponent));
      if (std::abs(x) <= static_cast<double>(kMax)) values.push_back(static_cast<float>(x));
    }
    expect_within_half_a_quantum(values);
    if (HasFatalFailure()) return;
  }
}

TEST(Quantizer, UsesAllCodes) {
  const Quantizer quantize(range_of({-2, 6}));
  EXPECT_EQ(quantize(-2), 0U);
  EXPECT_EQ(quantize(6), 65535U);
  EXPECT_NEAR(quantize(2), 32767.5, 0.6);
}

TEST(Quantizer, PutsInfinitiesAndNaNAtTheEnds) {
  for (const std::vector<float>& finite : {std::vector<float>{-1, 1}, {3}, {}}) {
    const Quantizer quantize(range_of(finite));
    EXPECT_EQ(quantize(-kInfinity), 0U);
    EXPECT_EQ(quantize(kInfinity), 65535U);
    EXPECT_EQ(quantize(kNaN), 65535U);
    EXPECT_EQ(quantize(-kNaN), 65535U);
  }
}

TEST(Quantizer, TakesZerosAsOneValue) {
  const Quantizer quantize(range_of({-1, 1}));
  EXPECT_EQ(quantize(-0.0F), quantize(0.0F));
}

TEST(Quantization, IsZeroWithoutARange) {
  EXPECT_EQ(quantization_of(range_of({})), (Quantization{0, 0}));
  EXPECT_EQ(quantization_of(range_of({7, 7})), (Quantization{7, 0}));
  EXPECT_GT(quantization_of(range_of({0, kTiny})).quantum, 0);
  EXPECT_TRUE(std::isfinite(quantization_of(range_of({-kMax, kMax})).quantum));
}

TEST(OrderedBits, FollowTheReals) {
  const std::array<float, 10> ascending{-kInfinity, -kMax, -1, -kTiny, 0, kTiny, 1, kMax, kInfinity, kNaN};
  for (std::size_t i = 1; i < ascending.size(); ++i)
    EXPECT_LT(ordered_bits(ascending[i - 1]), ordered_bits(ascending[i])) << i;
  EXPECT_EQ(ordered_bits(-0.0F), ordered_bits(0.0F));
  EXPECT_EQ(ordered_bits(-kNaN), ordered_bits(kNaN));
}

TEST(OrderedBits, FollowAnyTwoReals) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 200'000; ++trial) {
    const auto a = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    const auto b = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isnan(a) || std::isnan(b)) continue;
    ASSERT_EQ(ordered_bits(a) < ordered_bits(b), a < b) << a << ' ' << b;
  }
}

TEST(RealElement, GivesBackRealAndIndex) {
  for (const SortPattern pattern : kAllPatterns)
    for (const float x : make_reals(pattern, 300, 9))
      for (const std::uint32_t index : {0U, 1U, 77'777U, 0x7FFFFFFFU}) {
        const RealElement element = real_element(x, index);
        ASSERT_EQ(index_of(element), index);
        if (std::isnan(x))
          ASSERT_EQ(std::bit_cast<std::uint32_t>(real_of(element)), 0x7FC00000U);
        else
          ASSERT_EQ(std::bit_cast<std::uint32_t>(real_of(element)), std::bit_cast<std::uint32_t>(x)) << x;
        ASSERT_NE(element, ~RealElement{0}) << "what pads an array";
      }
}

TEST(RealElement, TiesStandInOrderOfIndex) {
  EXPECT_LT(real_element(2, 4), real_element(2, 5));
  EXPECT_LT(real_element(0.0F, 4), real_element(-0.0F, 5));
  EXPECT_LT(real_element(-0.0F, 4), real_element(0.0F, 5));
  EXPECT_LT(real_element(-kNaN, 4), real_element(kNaN, 5));
  EXPECT_LT(real_element(1, 5), real_element(2, 4));
}

}  // namespace
}  // namespace dropmd

#include "core/lanes/simd_lanes.h"  // before the transforms: they call its functions

#include "forces/mesh/cpu/line_transform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "forces/mesh/cpu/padded_lines.h"

namespace dropmd {
namespace {

using Line = std::vector<std::complex<double>>;

double lane_of(double value, std::size_t) { return value; }
template <class T, class Abi>
double lane_of(const stdx::simd<T, Abi>& value, std::size_t lane) {
  return static_cast<double>(value[lane]);
}

/// Values of each lane, as many as the lane type holds.
template <class Lane>
std::vector<ComplexLane<Lane>> random_lines(std::size_t n, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto draw = [&] {
    if constexpr (LaneTraits<Lane>::kWidth == 1)
      return static_cast<Lane>(uniform(random));
    else
      return Lane([&](std::size_t) { return static_cast<LaneReal<Lane>>(uniform(random)); });
  };
  std::vector<ComplexLane<Lane>> lines(n);
  for (auto& value : lines) {
    const Lane re = draw();
    value = {re, draw()};
  }
  return lines;
}

template <class Lane>
Line line_of(const ComplexLane<Lane>* values, std::size_t n, std::size_t lane) {
  Line line;
  for (std::size_t j = 0; j < n; ++j) line.emplace_back(lane_of(values[j].re, lane), lane_of(values[j].im, lane));
  return line;
}

/// The definition, for the values of a line that is followed by zeros up to a length.
Line transform_of(const Line& line, std::size_t length) {
  Line spectrum(length);
  for (std::size_t k = 0; k < length; ++k)
    for (std::size_t j = 0; j < line.size(); ++j)
      spectrum[k] += line[j] * std::polar(1.0, -2 * std::acos(-1.0) * static_cast<double>(j * k % length) /
                                                   static_cast<double>(length));
  return spectrum;
}

bool is_smooth(std::size_t n) {
  for (const std::size_t factor : {std::size_t{2}, std::size_t{3}, std::size_t{5}})
    while (n % factor == 0) n /= factor;
  return n == 1;
}

template <class Lane>
class LineTransforms : public testing::Test {};
using LaneTypes = testing::Types<double, Pack<double>, Pack<float>>;
TYPED_TEST_SUITE(LineTransforms, LaneTypes);

/// Errors grow about as the root of the length; at most 0.52 of this bound was seen.
template <class Lane>
double bound(std::size_t length) {
  const double epsilon = std::numeric_limits<LaneReal<Lane>>::epsilon();
  return 3 * epsilon * std::sqrt(static_cast<double>(length)) * std::log2(static_cast<double>(length) + 2);
}

TYPED_TEST(LineTransforms, AgreeWithTheirDefinitionForEveryLength) {
  std::mt19937 random(1);
  for (std::size_t length = 1; length <= 192; ++length) {
    if (!is_smooth(length)) {
      EXPECT_THROW(LineTransform<TypeParam>{length}, std::invalid_argument);
      continue;
    }
    const LineTransform<TypeParam> transform(length);
    auto values = random_lines<TypeParam>(length, random), other = random_lines<TypeParam>(length, random);
    const auto before = values;
    const auto* const result = transform(values.data(), other.data());
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(LaneTraits<TypeParam>::kWidth); ++lane) {
      const Line expected = transform_of(line_of(before.data(), length, lane), length),
                 found = line_of(result, length, lane);
      for (std::size_t k = 0; k < length; ++k)
        ASSERT_LT(std::abs(found[k] - expected[k]), bound<TypeParam>(length)) << length << " " << k;
    }
  }
  EXPECT_THROW(LineTransform<TypeParam>{0}, std::invalid_argument);
}

TYPED_TEST(LineTransforms, OfPaddedLinesHaveAllWaveNumbersAndReturn) {
  std::mt19937 random(2);
  struct Case {
    std::size_t n, length;
  };
  for (const Case& c : {Case{1, 2}, Case{1, 8}, Case{2, 4}, Case{7, 16}, Case{32, 64}, Case{33, 72}, Case{75, 150},
                        Case{128, 256}, Case{129, 270}}) {
    SCOPED_TRACE(c.n);
    const PaddedLines<TypeParam> lines(c.n, c.length);
    typename PaddedLines<TypeParam>::Buffers buffers(150);
    auto values = random_lines<TypeParam>(c.n, random);
    const auto before = values;
    // Buffers have been used before.
    for (int odd = 0; odd < 2; ++odd)
      for (int b = 0; b < 2; ++b) std::fill_n(buffers.of(odd, b), 150, ComplexLane<TypeParam>(NAN, NAN));
    auto spectrum = lines.forward(buffers, [&](std::size_t j) { return values[j]; });
    const std::size_t last_lane = LaneTraits<TypeParam>::kWidth - 1;
    const Line expected = transform_of(line_of(before.data(), c.n, last_lane), c.length);
    for (int odd = 0; odd < 2; ++odd) {
      const Line found = line_of(spectrum[odd], c.length / 2, last_lane);
      for (std::size_t k = 0; k < found.size(); ++k)
        ASSERT_LT(std::abs(found[k] - expected[2 * k + static_cast<std::size_t>(odd)]), bound<TypeParam>(c.length));
      for (std::size_t k = 0; k < found.size(); ++k) spectrum[odd][k] = swapped(spectrum[odd][k]);
    }
    lines.inverse(buffers, spectrum, [&](std::size_t j, const auto& value) { values[j] = value; });
    const Line first = line_of(before.data(), c.n, last_lane), last = line_of(values.data(), c.n, last_lane);
    for (std::size_t j = 0; j < c.n; ++j)
      ASSERT_LT(std::abs(last[j] / static_cast<double>(c.length) - first[j]), bound<TypeParam>(c.length));
  }
}

}  // namespace
}  // namespace dropmd

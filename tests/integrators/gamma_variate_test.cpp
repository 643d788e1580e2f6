#include "integrators/gamma_variate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "tests/integrators/statistics.h"

namespace dropmd {
namespace {

constexpr RandomKey kKey{11, RandomPurpose::thermostat};

std::vector<double> draw(double shape, std::size_t n) {
  std::vector<double> drawn;
  for (std::size_t i = 0; i < n; ++i) drawn.push_back(gamma_variate(shape, kKey, i, 1));
  return drawn;
}

/// Shapes of 2 to 12,418 degrees of freedom; below a shape of 1 the sampler uses another method.
TEST(GammaVariate, FollowsItsDistribution) {
  for (const double shape : {0.2, 0.5, 1.0, 1.5, 2.0, 7.5, 100.0, 6208.5}) {
    const auto cdf = [&](double x) { return gamma_cdf(shape, x); };
    EXPECT_GT(kolmogorov_smirnov_p(draw(shape, 20000), cdf), 0.01) << shape;
  }
}

/// A change of 3% in the shape moves 20,000 numbers of shape 100 by 0.3 σ of one number. The test above would notice
/// less.
TEST(GammaVariate, AnotherShapeIsToldFromIt) {
  EXPECT_LT(kolmogorov_smirnov_p(draw(100, 20000), [](double x) { return gamma_cdf(103, x); }), 1e-9);
  EXPECT_LT(kolmogorov_smirnov_p(draw(0.5, 20000), [](double x) { return gamma_cdf(0.55, x); }), 1e-9);
}

TEST(GammaVariate, IsAFunctionOfItsArguments) {
  EXPECT_EQ(draw(7.5, 100), draw(7.5, 100));
  const double one = gamma_variate(7.5, kKey, 5, 1);
  EXPECT_NE(one, gamma_variate(7.5, kKey, 6, 1));
  EXPECT_NE(one, gamma_variate(7.5, kKey, 5 + (std::uint64_t{1} << 40U), 1));
  EXPECT_NE(one, gamma_variate(7.5, {12, RandomPurpose::thermostat}, 5, 1));
  EXPECT_NE(one, gamma_variate(7.5, kKey, 5, 3));
}

/// Where Marsaglia and Tsang's first attempt is rejected, the second takes the next two blocks. Its numbers differ from
/// those of the first attempt, from U, and from those that the caller draws from earlier blocks.
TEST(GammaVariate, EachAttemptHasNumbersOfItsOwn) {
  constexpr double kShape = 1.5;
  constexpr std::uint32_t kFirst = 4;
  const double d = kShape - 1.0 / 3.0, c = 1 / std::sqrt(9 * d);
  /// An attempt that takes its numbers from this block and the next; returns nothing if they are rejected.
  const auto attempt = [&](std::uint64_t index, std::uint32_t block) -> std::optional<double> {
    const double x = normal_vec3(kKey, index, block).x, u = uniform_vec3(kKey, index, block + 1).x;
    const double v = std::pow(1 + c * x, 3);
    if (v <= 0 || std::log(u) >= 0.5 * x * x + d - d * v + d * std::log(v)) return std::nullopt;
    return d * v;
  };
  int second = 0;
  for (std::uint64_t index = 0; index < 2000; ++index) {
    const auto one = attempt(index, kFirst + 1), two = attempt(index, kFirst + 3);
    if (one || !two) continue;
    ++second;
    EXPECT_NEAR(gamma_variate(kShape, kKey, index, kFirst), *two, 1e-13 * *two);
  }
  EXPECT_GT(second, 5) << "of 2,000 some are rejected";
}

TEST(GammaVariate, OfNoShapeItIsZero) {
  for (const double shape : {0.0, -0.5, std::nan("")}) EXPECT_EQ(gamma_variate(shape, kKey, 1, 1), 0) << shape;
}

}  // namespace
}  // namespace dropmd

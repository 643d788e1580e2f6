#include "integrators/gamma_variate.h"

#include <gtest/gtest.h>

#include "tests/integrators/statistics.h"

namespace dropmd {
namespace {

constexpr RandomKey kKey{11, RandomPurpose::thermostat};

std::vector<double> draw(double shape, std::size_t n) {
  std::vector<double> drawn;
  for (std::size_t i = 0; i < n; ++i) drawn.push_back(gamma_variate(shape, kKey, i, 1));
  return drawn;
}

/// Shapes of 2 to 12,418 degrees of freedom; below 1 the sampler goes another way.
TEST(GammaVariate, FollowsItsDistribution) {
  for (const double shape : {0.2, 0.5, 1.0, 1.5, 2.0, 7.5, 100.0, 6208.5}) {
    const auto cdf = [&](double x) { return gamma_cdf(shape, x); };
    EXPECT_GT(kolmogorov_smirnov_p(draw(shape, 20000), cdf), 0.01) << shape;
  }
}

/// 3% in the shape moves 20,000 numbers of shape 100 by 0.3 σ of one number: the test above would see less.
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

TEST(GammaVariate, ShapeZeroIsZero) { EXPECT_EQ(gamma_variate(0, kKey, 1, 1), 0); }

}  // namespace
}  // namespace dropmd

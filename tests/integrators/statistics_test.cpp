#include "tests/integrators/statistics.h"

#include <gtest/gtest.h>

/// Tests of the statistics that the other tests here use.
namespace dropmd {
namespace {

TEST(Statistics, GammaDistributionWhereItHasAClosedForm) {
  for (const double x : {0.01, 0.3, 1.0, 1.9, 2.1, 5.0, 20.0}) {
    EXPECT_NEAR(gamma_cdf(0.5, x), std::erf(std::sqrt(x)), 1e-13) << x;
    EXPECT_NEAR(gamma_cdf(1, x), -std::expm1(-x), 1e-13) << x;
    EXPECT_NEAR(gamma_cdf(3, x), 1 - std::exp(-x) * (1 + x + x * x / 2), 1e-13) << x;
  }
  EXPECT_EQ(gamma_cdf(3, 0), 0);
}

/// Evenly spaced numbers are as near to the uniform distribution as possible. A shift by 0.02 is 2 σ of 10,000 numbers
/// in the distance, λ = 2, p = 2 exp(-8).
TEST(Statistics, KolmogorovSmirnovTellsTheShiftedFromTheTrue) {
  std::vector<double> sample;
  for (int i = 0; i < 10000; ++i) sample.push_back((i + 0.5) / 10000);
  EXPECT_GT(kolmogorov_smirnov_p(sample, [](double x) { return x; }), 0.999);
  const double shifted = kolmogorov_smirnov_p(sample, [](double x) { return std::min(1.0, x + 0.02); });
  EXPECT_NEAR(shifted, 2 * std::exp(-8.0), 5e-5);
}

}  // namespace
}  // namespace dropmd

#include "core/statistics/block_error.h"

#include <gtest/gtest.h>

#include <random>

/// Standard errors of means by blocking.
namespace dropmd {
namespace {

/// A stationary series with the correlation rho between neighbours and a variance of 1.
std::vector<double> correlated_series(std::size_t n, double rho, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(n);
  double x = normal(random);
  for (double& value : values) {
    x = rho * x + std::sqrt(1 - rho * rho) * normal(random);
    value = x;
  }
  return values;
}

/// The error that theory gives: sqrt((1 + rho) / (1 - rho) / n). An error from at least 100 blocks scatters by less
/// than 1/sqrt(2 * 100) = 7%, and the mean of 40 series by less than 1.1%.
void expect_error_of_theory(std::size_t n, double rho) {
  const unsigned seed = std::random_device{}();
  const double theory = std::sqrt((1 + rho) / (1 - rho) / static_cast<double>(n));
  double sum = 0;
  constexpr int kSeries = 40;
  for (int k = 0; k < kSeries; ++k) {
    const MeanWithError found = mean_with_error(correlated_series(n, rho, seed + static_cast<unsigned>(k)));
    EXPECT_LT(std::abs(found.mean), 6 * theory) << "seed " << seed << ", series " << k;
    sum += found.error / kSeries;
  }
  // Blocks of finite length leave a little correlation: up to a tenth of the error is missing. The bound allows for
  // this and for some four deviations of the mean.
  EXPECT_NEAR(sum / theory, 0.97, 0.1) << "seed " << seed;
}

TEST(BlockError, OfUncorrelatedValues) { expect_error_of_theory(100'000, 0); }
TEST(BlockError, OfCorrelatedValues) { expect_error_of_theory(100'000, 0.9); }
TEST(BlockError, OfCorrelatedValuesAndAnOddNumber) { expect_error_of_theory(99'991, 0.5); }

TEST(BlockError, NothingIsKnownOfTooFewValues) {
  EXPECT_TRUE(std::isnan(mean_with_error({}).mean));
  EXPECT_TRUE(std::isnan(mean_with_error({}).error));
  const std::vector<double> one{3}, three{3, 4, 5};
  EXPECT_EQ(mean_with_error(one).mean, 3);
  EXPECT_TRUE(std::isnan(mean_with_error(one).error));
  EXPECT_EQ(mean_with_error(three).mean, 4);
  EXPECT_TRUE(std::isnan(mean_with_error(three).error));
}

TEST(BlockError, NothingIsKnownOfASeriesThatDrifts) {
  std::vector<double> values(1000);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k);
  EXPECT_TRUE(std::isnan(mean_with_error(values).error));
}

TEST(BlockError, BlocksThatHappenToBeEqualSayNothing) {
  EXPECT_TRUE(std::isnan(mean_with_error(std::vector<double>{5, 4, 4, 5}).error));
  EXPECT_TRUE(std::isnan(mean_with_error(std::vector<double>{5, 4, 4, 5, 5, 4, 4, 5}).error));
}

TEST(BlockError, ConstantsHaveNone) { EXPECT_EQ(mean_with_error(std::vector<double>(5, 2.5)).error, 0); }

}  // namespace
}  // namespace dropmd

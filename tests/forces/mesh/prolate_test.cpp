#include "forces/mesh/prolate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "forces/mesh/coulomb_split.h"
#include "forces/mesh/quadrature.h"

namespace dropmd {
namespace {

TEST(GaussLegendre, IsExactForPolynomialsOfTwiceItsPoints) {
  const Quadrature quadrature = gauss_legendre(7, -1, 2);
  for (int power = 0; power <= 13; ++power) {
    const double exact = (std::pow(2.0, power + 1) - std::pow(-1.0, power + 1)) / (power + 1);
    EXPECT_NEAR(integrate(quadrature, [&](double x) { return std::pow(x, power); }), exact, 1e-14 * (1 + exact));
  }
}

class ProlateTest : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Bandwidths, ProlateTest, testing::Values(0.5, 4.0, 10.1, 12.4, 17.0, 26.2));

/// The equation that defines the function: its Fourier transform is a multiple of itself. The left side is computed by
/// a quadrature that the implementation does not use for these wave numbers.
TEST_P(ProlateTest, IsAnEigenfunctionOfTheFourierTransform) {
  const double c = GetParam();
  const Prolate prolate(c);
  const Quadrature half = gauss_legendre(80, 0, 1);
  const double at_zero = integrate(half, [&](double x) { return prolate(x); });
  EXPECT_NEAR(at_zero, 1, 1e-13);
  for (const double t : {0.0, 0.1, 0.35, 0.7, 0.99, 1.0}) {
    const double transform = integrate(half, [&](double x) { return prolate(x) * std::cos(c * t * x); });
    EXPECT_NEAR(transform, prolate(t) / prolate(0), 1e-13);
    EXPECT_NEAR(prolate.transform(c * t), transform, 1e-13);
  }
}

TEST_P(ProlateTest, IsEvenPositiveAndFallsFromTheMiddle) {
  const Prolate prolate(GetParam());
  for (double x = 0.05; x <= 1; x += 0.05) {
    EXPECT_GT(prolate(x), 0);
    EXPECT_LT(prolate(x), prolate(x - 0.05));
    EXPECT_EQ(prolate(-x), prolate(x));
  }
}

TEST_P(ProlateTest, HasTheIntegralAndTheDerivativeOfItself) {
  const Prolate prolate(GetParam());
  EXPECT_NEAR(prolate.integral(1), 1, 1e-14);
  for (double x = 0.1; x < 1; x += 0.2) {
    const Quadrature below = gauss_legendre(60, 0, x);
    EXPECT_NEAR(prolate.integral(x), integrate(below, [&](double u) { return prolate(u); }), 1e-14);
    const double change = integrate(below, [&](double u) { return prolate.derivative(u); });
    EXPECT_NEAR(prolate(0) + change, prolate(x), 1e-13 * prolate(0));
  }
}

/// Beyond the bandwidth the transform is continuous and small: what remains comes from the jump of ψ(1) at the end of
/// the interval, whose transform is at most ψ(1)/k; the bound is twice that.
TEST_P(ProlateTest, HasNearlyNothingBeyondItsBandwidth) {
  const double c = GetParam();
  const Prolate prolate(c);
  EXPECT_NEAR(prolate.transform(c * (1 + 1e-9)), prolate.transform(c), 1e-8);
  for (double k = c + 2; k < c + Prolate::kTail; k += 1.7)
    EXPECT_LT(std::abs(prolate.transform(k)), 2 * prolate(1) / k);
}

class CoulombSplitTest : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Bandwidths, CoulombSplitTest, testing::Values(10.1, 12.4, 26.2));

TEST_P(CoulombSplitTest, IsSmoothAndJoinsTheCoulombPotentialAtTheCutoff) {
  const CoulombSplit split(9.0, GetParam());
  const Prolate prolate(GetParam());
  EXPECT_NEAR(split.smooth(0), prolate(0) / 9.0, 1e-13);
  for (const double r : {1e-6, 0.3, 2.0, 5.0, 8.9}) EXPECT_NEAR(split.smooth(r), prolate.integral(r / 9) / r, 1e-9);
  EXPECT_NEAR(split.smooth(9.0), 1 / 9.0, 1e-14);
  EXPECT_EQ(split.smooth(20.0), 1 / 20.0);
  EXPECT_EQ(split.smooth_force_over_r(20.0), 1 / 8000.0);
}

TEST_P(CoulombSplitTest, HasTheForceOfItsPotential) {
  const CoulombSplit split(9.0, GetParam());
  constexpr double kStep = 1e-4;
  for (const double r : {0.05, 0.5, 2.0, 5.0, 8.5}) {
    const double slope = (split.smooth(r - 2 * kStep) - 8 * split.smooth(r - kStep) + 8 * split.smooth(r + kStep) -
                          split.smooth(r + 2 * kStep)) /
                         (12 * kStep);
    EXPECT_NEAR(split.smooth_force_over_r(r) * r, -slope, 1e-10);
  }
  EXPECT_NEAR(split.smooth_force_over_r(1e-7), split.smooth_force_over_r(0), 1e-9);
}

/// For a bandwidth of ln(1/f) + 3.2 the part of the transform beyond it is below f.
TEST(CoulombSplit, ChoosesTheBandwidthOfAnError) {
  for (const double error : {1e-3, 1e-4, 1e-5, 1e-10}) {
    const CoulombSplit split(9.0, CoulombSplit::bandwidth_for(error));
    EXPECT_LT(split.transform(split.bandwidth() / 9.0), 10 * error);
  }
}

}  // namespace
}  // namespace dropmd

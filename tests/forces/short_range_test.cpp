#include "forces/pair/coulomb_short_range.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>
#include <vector>

#include "core/vec3.h"
#include "forces/mesh/coulomb_split.h"
#include "forces/mesh/split_polynomial.h"

/// The pair part of the split Coulomb potential: its polynomial against the split itself, and its smooth part.
namespace dropmd {
namespace {

constexpr double kCutoff = 9;

struct Case {
  double accuracy;  ///< of a mesh
  int degree;       ///< that physics needs for it
};

CoulombSplit split_for(const Case& c) { return {kCutoff, CoulombSplit::bandwidth_for(c.accuracy)}; }

template <class Real>
CoulombShortRange<Real> form_for(const Case& c) {
  return CoulombShortRange<Real>(short_range_choice(split_for(c), c.degree));
}

class ShortRange : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Accuracies, ShortRange,
                         testing::Values(Case{1e-3, 6}, Case{1e-4, 7}, Case{1e-5, 9}, Case{1e-7, 13}, Case{1e-10, 18}));

/// The fit contributes at most a fifth of the accuracy, and one degree less would contribute more.
TEST_P(ShortRange, TakesTheLeastDegreeOfAFifthOfTheAccuracy) {
  const Case c = GetParam();
  const CoulombSplit split = split_for(c);
  EXPECT_EQ(least_degree(split, c.accuracy / 5, CoulombShortRange<double>::kMostDegree), c.degree);
  EXPECT_LE(fit_split(split, c.degree).error, c.accuracy / 5);
  EXPECT_GT(fit_split(split, c.degree - 1).error, c.accuracy / 5);
}

/// f² = r_c ∫ (r δg)² dV over the sphere of radius r_c, here from 8,000 random points, which give it to 2%. The sum of
/// two terms of the size 1/r³ leaves an error of 1e-15 of them.
TEST_P(ShortRange, HasTheStatedErrorAtRandomPoints) {
  const Case c = GetParam();
  const CoulombSplit split = split_for(c);
  const auto form = form_for<double>(c);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  constexpr int kPoints = 8000;
  double sum = 0;
  for (int k = 0; k < kPoints; ++k) {
    const double r = kCutoff * std::cbrt(uniform(random));
    const double error = form.smooth(r * r).force_over_r - split.smooth_force_over_r(r);
    sum += error * error * r * r;
  }
  const double volume = 4 * std::numbers::pi / 3 * std::pow(kCutoff, 3);
  const double stated = fit_split(split, c.degree).error;
  EXPECT_NEAR(std::sqrt(kCutoff * volume * sum / kPoints), stated, 0.06 * stated);
}

/// The RMS error of the forces on charges at random places is k_e ⟨q²⟩ √(ρ/r_c) f. Only charges that have all their
/// neighbours count; with 60 of them the RMS of 180 components, which shared neighbours correlate, is known to about
/// 5%.
TEST_P(ShortRange, HasTheStatedErrorOfForcesOfRandomCharges) {
  const Case c = GetParam();
  const CoulombSplit split = split_for(c);
  const auto form = form_for<double>(c);
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(-1, 1);
  constexpr double kRadius = 2 * kCutoff, kDensity = 0.03;
  const auto in_ball = [&](double radius) {
    Vec3<double> x;
    do x = {radius * uniform(random), radius * uniform(random), radius * uniform(random)};
    while (norm(x) > radius);
    return x;
  };
  const auto n = static_cast<std::size_t>(kDensity * 4 * std::numbers::pi / 3 * std::pow(kRadius, 3));
  std::vector<Vec3<double>> position(n);
  std::vector<double> charge(n);
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    position[i] = in_ball(kRadius);
    charge[i] = uniform(random);
    squares += charge[i] * charge[i] / static_cast<double>(n);
  }
  constexpr int kProbes = 60;
  double sum = 0;
  for (int probe = 0; probe < kProbes; ++probe) {
    const Vec3<double> at = in_ball(kRadius - kCutoff);
    Vec3<double> error{};
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3<double> d = at - position[i];
      const double r = norm(d);
      if (r >= kCutoff) continue;
      error += charge[i] * (form.smooth(r * r).force_over_r - split.smooth_force_over_r(r)) * d;
    }
    sum += dot(error, error) / kProbes;
  }
  // A probe has the charge √⟨q²⟩.
  const double measured = std::sqrt(squares * sum);
  const double stated = squares * std::sqrt(kDensity / kCutoff) * fit_split(split, c.degree).error;
  EXPECT_NEAR(measured / stated, 1, 0.25);
}

/// |δL| ≤ f/√(4π) √((r_c − r)/r) / r_c, by Cauchy's inequality; rounding adds some 1e-16 of L(0).
TEST_P(ShortRange, HasAnEnergyErrorBelowItsBound) {
  const Case c = GetParam();
  const CoulombSplit split = split_for(c);
  const auto form = form_for<double>(c);
  const double f = fit_split(split, c.degree).error;
  for (double x = 0.01; x < 1; x += 0.01) {
    const double r = x * kCutoff, bound = f / std::sqrt(4 * std::numbers::pi) * std::sqrt((1 - x) / x) / kCutoff;
    const double error = std::abs(form.smooth(r * r).energy - split.smooth(r));
    EXPECT_LE(error, bound + 1e-14) << x;
    EXPECT_LE(error * r, 0.15 * f + 1e-13) << x << ": relative to the bare energy";
  }
}

/// The smooth part is regular at 0; its force is that of its energy and, from the cutoff on, that of point charges.
/// Differences of fourth order with h = 1e-3 r_c have an error of h⁴ L⁽⁵⁾/30, about 1e-9.
TEST_P(ShortRange, HasASmoothPartThatIsRegular) {
  const Case c = GetParam();
  const auto form = form_for<double>(c);
  const SmoothTerm<double> centre = form.smooth(0.0);
  EXPECT_TRUE(std::isfinite(centre.energy));
  EXPECT_NEAR(centre.energy, split_for(c).smooth(0), c.accuracy / kCutoff);
  EXPECT_NEAR(centre.force_over_r, form.smooth(1e-12).force_over_r, 1e-12);
  constexpr double h = 1e-3 * kCutoff;
  for (const double r : {0.03, 0.3, 1.0, 4.0, 8.9}) {
    const auto energy = [&](double at) { return form.smooth(at * at).energy; };
    const double slope = (energy(r - 2 * h) - 8 * energy(r - h) + 8 * energy(r + h) - energy(r + 2 * h)) / (12 * h);
    EXPECT_NEAR(form.smooth(r * r).force_over_r * r, -slope, 1e-9) << r;
  }
  EXPECT_DOUBLE_EQ(form.smooth(kCutoff * kCutoff).energy, 1 / kCutoff);
  EXPECT_DOUBLE_EQ(form.smooth(400.0).energy, 1 / 20.0);
  EXPECT_DOUBLE_EQ(form.smooth(400.0).force_over_r, 1 / 8000.0);
}

/// Whatever the error of the polynomial, the two parts of one form are 1/r, and the pair energy ends with 0.
TEST_P(ShortRange, AndTheSmoothPartAreThePointCharges) {
  const auto form = form_for<double>(GetParam());
  for (double r = 0.1; r < kCutoff; r += 0.1) {
    const auto pair = form.operator()<true>(Distance<double>::from_square(r * r));
    const SmoothTerm<double> smooth = form.smooth(r * r);
    EXPECT_NEAR(pair.energy + smooth.energy, 1 / r, 1e-15 / r);
    EXPECT_NEAR(pair.virial + r * r * smooth.force_over_r, 1 / r, 1e-15 * 8 / r);
  }
  const double last = kCutoff * (1 - 1e-12);
  EXPECT_NEAR(form.operator()<true>(Distance<double>::from_square(last * last)).energy, 0, 1e-15);
  const auto outside = form.operator()<true>(Distance<double>::from_square(kCutoff * kCutoff));
  EXPECT_EQ(outside.energy, 0);
  EXPECT_EQ(outside.virial, 0);
}

/// Terms in fp32 are within some ten roundings (6e-8) of the bare term, down to r = r_c/100, since nothing cancels in
/// the polynomial.
TEST_P(ShortRange, LosesLittleInSinglePrecision) {
  const Case c = GetParam();
  if (c.degree > CoulombShortRange<float>::kMostDegree) {
    EXPECT_THROW(form_for<float>(c), std::invalid_argument);
    return;
  }
  const auto rounded = form_for<float>(c);
  const auto exact = form_for<double>(c);
  for (float r = 0.09F; r < 0.999F * kCutoff; r += 0.01F) {
    const float r2 = r * r;
    const double bare = 1 / std::sqrt(double{r2});
    const auto a = rounded.operator()<true>(Distance<float>::from_square(r2));
    const auto b = exact.operator()<true>(Distance<double>::from_square(double{r2}));
    EXPECT_NEAR(double{a.energy}, b.energy, 6e-7 * bare) << r;
    EXPECT_NEAR(double{a.virial}, b.virial, 6e-7 * bare) << r;
    const SmoothTerm<float> d = rounded.smooth(r2);
    const SmoothTerm<double> e = exact.smooth(double{r2});
    EXPECT_NEAR(double{d.energy}, e.energy, 6e-7 * e.energy) << r;
    EXPECT_NEAR(double{d.force_over_r}, e.force_over_r, 6e-7 * e.force_over_r) << r;
  }
}

/// The degrees that users of a mesh pay for, and their errors.
TEST(SplitPolynomial, NeedsADegreeThatGrowsWithTheAccuracy) {
  const auto error = [](double accuracy, int degree) { return fit_split(split_for({accuracy, degree}), degree).error; };
  EXPECT_NEAR(error(1e-3, 6), 2.05e-5, 0.01e-5);
  EXPECT_NEAR(error(1e-4, 7), 1.33e-5, 0.01e-5);
  EXPECT_NEAR(error(1e-5, 8), 7.69e-6, 0.01e-6);
  EXPECT_NEAR(error(1e-5, 9), 6.98e-7, 0.01e-7);
  EXPECT_EQ(least_degree(split_for({1e-5, 9}), 1e-9, 9), std::nullopt);
}

/// A polynomial of w = 1 − r²/r_c² has no unit of length.
TEST(SplitPolynomial, DoesNotDependOnTheCutoff) {
  const SplitPolynomial a = fit_split(CoulombSplit(1, 12.4), 7), b = fit_split(CoulombSplit(37, 12.4), 7);
  for (std::size_t k = 0; k < a.force.size(); ++k) EXPECT_NEAR(a.force[k], b.force[k], 1e-9);
  EXPECT_NEAR(a.error, b.error, 1e-12);
}

}  // namespace
}  // namespace dropmd

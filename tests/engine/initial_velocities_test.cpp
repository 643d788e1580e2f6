#include "engine/model/initial_velocities.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/thermometer.h"

namespace dropmd {
namespace {

constexpr std::size_t kTenThousand = 10000;
constexpr double kTemperature = 300;  // K

/// The masses of water, argon and mercury in turn.
std::vector<double> masses(std::size_t n) {
  std::vector<double> mass(n);
  for (std::size_t i = 0; i < n; ++i) mass[i] = i % 3 == 0 ? 18.0 : i % 3 == 1 ? 39.9 : 200.6;
  return mass;
}

TEST(InitialVelocities, TemperatureIsExactAndMomentumZero) {
  for (const std::size_t n : {std::size_t{2}, std::size_t{3}, kTenThousand}) {
    SCOPED_TRACE(n);
    const auto mass = masses(n);
    const auto velocity = maxwell_boltzmann(mass, kTemperature, kRealUnits, 7);
    const double kinetic = kinetic_energy(Cpu{}, mass, velocity, kRealUnits);
    EXPECT_NEAR(temperature_of(kinetic, 3 * n - 3, kRealUnits), kTemperature, 1e-12 * kTemperature);
    Vec3<double> momentum{};
    double magnitude = 0;
    for (std::size_t i = 0; i < n; ++i) momentum += mass[i] * velocity[i], magnitude += mass[i] * norm(velocity[i]);
    EXPECT_LT(norm(momentum), 1e-13 * magnitude);
  }
}

TEST(InitialVelocities, ASingleAtomIsAtRest) {
  EXPECT_TRUE(maxwell_boltzmann({}, kTemperature, kRealUnits, 7).empty());
  EXPECT_EQ(maxwell_boltzmann(masses(1), kTemperature, kRealUnits, 7)[0], (Vec3<double>{}));
}

TEST(InitialVelocities, SeedsGiveDifferentVelocitiesAndTheSameSeedTheSame) {
  const auto mass = masses(10);
  EXPECT_EQ(maxwell_boltzmann(mass, 1, kLjUnits, 7), maxwell_boltzmann(mass, 1, kLjUnits, 7));
  EXPECT_NE(maxwell_boltzmann(mass, 1, kLjUnits, 7), maxwell_boltzmann(mass, 1, kLjUnits, 8));
}

/// The asymptotic Kolmogorov distribution: P(D > d) of n samples (with Stephens' correction for finite n).
double kolmogorov_p(double d, double n) {
  const double x = (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n)) * d;
  double p = 0;
  for (int k = 1; k < 100; ++k) p += (k % 2 == 1 ? 2 : -2) * std::exp(-2.0 * k * k * x * x);
  return std::clamp(p, 0.0, 1.0);
}

TEST(InitialVelocities, ComponentsAreNormal) {
  const auto mass = masses(kTenThousand);
  const auto velocity = maxwell_boltzmann(mass, kTemperature, kRealUnits, 7);
  for (const auto component : {&Vec3<double>::x, &Vec3<double>::y, &Vec3<double>::z}) {
    std::vector<double> reduced;
    for (std::size_t i = 0; i < kTenThousand; ++i)
      reduced.push_back(velocity[i].*component /
                        std::sqrt(kRealUnits.boltzmann * kTemperature * kRealUnits.acceleration / mass[i]));
    std::sort(reduced.begin(), reduced.end());
    double distance = 0;
    for (std::size_t k = 0; k < kTenThousand; ++k) {
      const double expected = 0.5 * std::erfc(-reduced[k] / std::sqrt(2.0));
      const double below = static_cast<double>(k) / kTenThousand, upto = static_cast<double>(k + 1) / kTenThousand;
      distance = std::max({distance, expected - below, upto - expected});
    }
    EXPECT_GT(kolmogorov_p(distance, kTenThousand), 0.01) << "Kolmogorov-Smirnov distance " << distance;
  }
}

}  // namespace
}  // namespace dropmd

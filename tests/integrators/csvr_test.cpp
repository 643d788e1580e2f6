#include "integrators/csvr.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/integrators/harmonic_atoms.h"
#include "tests/integrators/statistics.h"

/// Stochastic velocity rescaling alone: its effect on the kinetic energy does not depend on forces.
namespace dropmd {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

FormChoice csvr(double timestep, double temperature, double relaxation) {
  return {"csvr", {{"timestep", timestep}, {"temperature", temperature}, {"relaxation", relaxation}}};
}

MotionSums sums_of(double mv2) {
  MotionSums sums;
  sums.mv2 = sums.bath_mv2 = mv2;
  return sums;
}

/// One atom of mass 1 that represents n_dof degrees of freedom, since rescaling uses only the sum.
struct RescaledAtom {
  Csvr motion;
  MovingAtom atom{{}, {}, {}, 1.0, 0};
  std::uint64_t step = 0;

  RescaledAtom(const FormChoice& choice, std::size_t n_dof, std::uint64_t seed, double speed)
      : motion(choice, kLjUnits, {.seed = seed, .n_dof = n_dof}) {
    atom.velocity.x = speed;
  }
  double mv2() const { return motion_sums(atom).mv2; }
  void rescale() {
    motion.couple(sums_of(mv2()), ++step);
    motion.apply_coupling(atom);
  }
};

/// Samples of Σ m v²/(2 k_B T), 10 relaxation times (exp(-10) of correlation) apart.
std::vector<double> kinetic_samples(std::size_t n_dof, std::size_t n) {
  const double temperature = 1.3;
  RescaledAtom one(csvr(1.0, temperature, 2.0), n_dof, 21, 1.0);
  std::vector<double> samples;
  for (std::size_t i = 0; i < n; ++i) {
    for (int k = 0; k < 20; ++k) one.rescale();
    samples.push_back(one.mv2() / (2 * temperature));
  }
  return samples;
}

TEST(Csvr, KineticEnergyFollowsTheGammaDistributionOfItsDegreesOfFreedom) {
  for (const std::size_t n_dof : {1U, 2U, 3U, 4U, 5U, 57U, 300U, 12414U}) {
    const double shape = 0.5 * static_cast<double>(n_dof);
    EXPECT_GT(kolmogorov_smirnov_p(kinetic_samples(n_dof, 4000), [&](double k) { return gamma_cdf(shape, k); }), 0.01)
        << n_dof << " degrees of freedom";
  }
}

/// 57 versus 60 degrees of freedom: the means differ by 0.28 σ of one sample, or 18 σ of the mean of 4,000.
TEST(Csvr, ThreeMoreDegreesOfFreedomAreToldApart) {
  EXPECT_LT(kolmogorov_smirnov_p(kinetic_samples(57, 4000), [](double k) { return gamma_cdf(30, k); }), 1e-6);
}

/// With one degree of freedom the velocity itself is an Ornstein-Uhlenbeck process: normal, of both signs.
TEST(Csvr, OneDegreeOfFreedomTurnsRound) {
  RescaledAtom one(csvr(1.0, 1.3, 2.0), 1, 22, 1.0);
  std::vector<double> v;
  for (std::size_t i = 0; i < 4000; ++i) {
    for (int k = 0; k < 40; ++k) one.rescale();  // v relaxes with 2τ
    v.push_back(one.atom.velocity.x);
  }
  EXPECT_GT(kolmogorov_smirnov_p(v, [](double x) { return normal_cdf(x / std::sqrt(1.3)); }), 0.01);
}

/// <K(t)> - K_mean = (K(0) - K_mean) exp(-t/τ), over 4,000 seeds.
TEST(Csvr, MeanKineticEnergyRelaxesWithTau) {
  const std::size_t n_dof = 30;
  const double dt = 0.5, tau = 2.0, temperature = 0.8, mean = 30 * temperature, start = 5 * mean;  // twice the energies
  const std::vector<int> at{1, 2, 4, 8, 16};
  std::vector<std::vector<double>> mv2(at.size());
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    RescaledAtom one(csvr(dt, temperature, tau), n_dof, seed, std::sqrt(start));
    for (std::size_t k = 0; k < at.size(); ++k) {
      while (one.step < static_cast<std::uint64_t>(at[k])) one.rescale();
      mv2[k].push_back(one.mv2());
    }
  }
  for (std::size_t k = 0; k < at.size(); ++k) {
    const double expected = mean + (start - mean) * std::exp(-at[k] * dt / tau);
    EXPECT_NEAR(mean_of(mv2[k]), expected, 4 * standard_error(mv2[k])) << "after " << at[k] * dt / tau << " tau";
    EXPECT_LT(standard_error(mv2[k]), 0.01 * expected) << "the tolerance would hide a wrong rate";
  }
}

/// k_B T enters in units of energy, Σ m v² in mass (length/time)².
TEST(Csvr, ThermalisesInUnitsReal) {
  const double temperature = 300;
  std::vector<double> measured;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto integrator = make_integrator(csvr(1.0, temperature, 1.0), kRealUnits, {.seed = seed, .n_dof = 300});
    Particles p = atoms_at_rest(100, {18.0});
    for (Vec3<double>& v : p.velocity) v = {0.01, 0, 0};  // 435 K; forgotten after 30 τ
    make_steps(*integrator, p, 0, 1, 30);
    double mv2 = 0;
    for (std::size_t i = 0; i < p.size(); ++i) mv2 += p.mass[i] * dot(p.velocity[i], p.velocity[i]);
    measured.push_back(mv2 / 4.184e-4 / (kRealUnits.boltzmann * 300));
  }
  // σ(T) = T sqrt(2/300), averaged over 200 values.
  EXPECT_NEAR(mean_of(measured), temperature, 4 * temperature * std::sqrt(2.0 / 300 / 200));
  EXPECT_NEAR(std::sqrt(variance_of(measured)), temperature * std::sqrt(2.0 / 300), 4 * 0.05 * temperature * 0.08);
}

TEST(Csvr, AtomsAtRestStayAtRest) {
  Particles p = atoms_at_rest(5, {1.0});
  make_steps(*make_integrator(csvr(0.01, 1.0, 0.1), kLjUnits, {.n_dof = 15}), p, 2.0, 1, 10);
  EXPECT_TRUE(same_bytes(p, atoms_at_rest(5, {1.0})));
  Particles none;
  make_steps(*make_integrator(csvr(0.01, 1.0, 0.1), kLjUnits, {.n_dof = 0}), none, 2.0, 1, 10);
  EXPECT_EQ(none.size(), 0U);
}

/// Velocities down to the smallest doubles, temperature 0 and no degrees of freedom all give a finite factor.
TEST(Csvr, NoKineticEnergyIsTooSmallForAFiniteFactor) {
  for (const double temperature : {0.0, 1.0})
    for (const double speed : {0.0, 5e-324, 1e-160, 1e-150, 1e-100, 1e150})
      for (const std::size_t n_dof : {0U, 1U, 2U, 30U}) {
        RescaledAtom one(csvr(1.0, temperature, 3.0), n_dof, 1, speed);
        one.rescale();
        EXPECT_TRUE(std::isfinite(one.atom.velocity.x)) << temperature << ' ' << speed << ' ' << n_dof;
        if (n_dof == 0) {
          EXPECT_EQ(one.atom.velocity.x, speed);
        }
      }
}

/// Without noise, K falls by a factor of exp(-Δt/τ).
TEST(Csvr, AtTemperatureZeroItCools) {
  RescaledAtom one(csvr(0.5, 0.0, 2.0), 6, 1, 2.0);
  one.rescale();
  EXPECT_DOUBLE_EQ(one.mv2(), 4.0 * std::exp(-0.25));
}

TEST(Csvr, WithInfiniteRelaxationItIsVelocityVerletToTheByte) {
  Particles p = atoms_at_rest(50, {1.0, 20.0});
  for (std::size_t i = 0; i < p.size(); ++i) p.position[i] = {0.1 * static_cast<double>(i), -1.0 / 3.0, 0.7};
  Particles q = p;
  make_steps(*make_integrator(csvr(0.3, 300, kInfinite), kRealUnits, {.seed = 9, .n_dof = 150}), p, 20.0, 1, 200);
  make_steps(*make_integrator({"velocity-verlet", {{"timestep", 0.3}}}, kRealUnits, {}), q, 20.0, 1, 200);
  EXPECT_GT(norm(p.velocity[1]), 0);
  EXPECT_TRUE(same_bytes(p, q));
}

Particles moving_atoms(std::size_t n) {
  Particles p = atoms_at_rest(n, {1.0, 2.0});
  for (std::size_t i = 0; i < n; ++i) p.velocity[i] = normal_vec3({8, RandomPurpose::velocities}, i, 0);
  return p;
}

TEST(Csvr, NumbersDependOnSeedAndStepAlone) {
  const auto run = [](std::uint64_t seed, const std::vector<std::array<std::uint64_t, 2>>& pieces) {
    Particles p = moving_atoms(30);
    for (const auto& [first, last] : pieces)
      make_steps(*make_integrator(csvr(0.01, 1.0, 0.05), kLjUnits, {.seed = seed, .n_dof = 90}), p, 3.0, first, last);
    return p;
  };
  const Particles whole = run(1, {{1, 20}});
  EXPECT_TRUE(same_bytes(whole, run(1, {{1, 7}, {8, 20}})));
  EXPECT_FALSE(same_bytes(whole, run(1, {{1, 7}, {9, 21}})));
  EXPECT_FALSE(same_bytes(whole, run(2, {{1, 20}})));
}

TEST(Csvr, SameBytesForEveryNumberOfThreads) {
  const auto run = [](int threads) {
    Particles p = moving_atoms(10000);
    make_steps(*make_integrator(csvr(0.01, 1.0, 0.1), kLjUnits, {.seed = 4, .n_dof = 30000}), p, 3.0, 1, 5, threads);
    return p;
  };
  const Particles one = run(1);
  EXPECT_TRUE(same_bytes(one, run(2)));
  EXPECT_TRUE(same_bytes(one, run(5)));
}

}  // namespace
}  // namespace dropmd

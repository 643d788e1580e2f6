#include "integrators/langevin.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/integrators/harmonic_atoms.h"
#include "tests/integrators/statistics.h"

/// BAOAB in cases where its results are known in closed form.
namespace dropmd {
namespace {

FormChoice langevin(double timestep, double temperature, double friction) {
  return {"langevin", {{"timestep", timestep}, {"temperature", temperature}, {"friction", friction}}};
}

constexpr double kFree = 0;

/// The velocity of a free atom is an Ornstein-Uhlenbeck process, which the O step follows exactly. From rest, its
/// variance is (k_B T/m)(1 - exp(-2γt)), in real units.
TEST(Langevin, FreeAtomsThermaliseFromRestAsTheProcessDoes) {
  const double temperature = 300, friction = 0.05, dt = 2.0;
  const auto integrator = make_integrator(langevin(dt, temperature, friction), kRealUnits, {.seed = 3});
  const std::vector<double> masses{1.008, 15.999, 39.95};
  Particles p = atoms_at_rest(6000, masses);
  std::uint64_t step = 0;
  for (const std::uint64_t until : {1U, 5U, 60U}) {
    make_steps(*integrator, p, kFree, step + 1, until);
    step = until;
    for (std::size_t s = 0; s < masses.size(); ++s) {
      const double grown = -std::expm1(-2 * friction * dt * static_cast<double>(step));
      const double width = std::sqrt(kRealUnits.boltzmann * temperature * 4.184e-4 / masses[s] * grown);
      const auto cdf = [&](double v) { return normal_cdf(v / width); };
      const auto too_wide = [&](double v) { return normal_cdf(v / (1.1 * width)); };
      const std::vector<double> v = components(p.velocity, s, masses.size());
      EXPECT_GT(kolmogorov_smirnov_p(v, cdf), 0.01) << "mass " << masses[s] << ", step " << step;
      EXPECT_LT(kolmogorov_smirnov_p(v, too_wide), 0.01) << "6,000 numbers tell no width from another";
    }
  }
}

/// <v(0) v(t)> = (k_B T/m) exp(-γt). The mean of n products of normal numbers with correlation c has the standard error
/// sqrt((1 + c²)/n): 1% for 9,000 components. The test allows four of them.
TEST(Langevin, VelocityForgetsItselfWithTheFriction) {
  const double friction = 0.4, dt = 0.5;
  const auto integrator = make_integrator(langevin(dt, 2.0, friction), kLjUnits, {.seed = 5});
  Particles p = atoms_at_rest(3000, {1.0});
  make_steps(*integrator, p, kFree, 1, 60);  // exp(-2γt) = 4e-11
  const std::vector<double> start = components(p.velocity);
  const auto n = static_cast<double>(start.size());
  for (std::uint64_t k = 1; k <= 10; ++k) {
    make_steps(*integrator, p, kFree, 60 + k, 60 + k);
    const std::vector<double> now = components(p.velocity);
    double sum = 0;
    for (std::size_t i = 0; i < now.size(); ++i) sum += start[i] * now[i];
    const double expected = std::exp(-friction * dt * static_cast<double>(k));
    EXPECT_NEAR(sum / n / 2.0, expected, 4 * std::sqrt((1 + expected * expected) / n)) << k;
  }
}

/// In a harmonic well <x²> = k_B T/k at every stable timestep (ωΔt < 2), and <v²> after the last half kick is (k_B
/// T/m)(1 - (ωΔt)²/4) (Leimkuhler and Matthews 2013). At ωΔt = 1.6 that is 0.36 of the temperature. Velocity Verlet
/// with exact noise would have an <x²> too large by 1/0.36.
TEST(Langevin, OscillatorsHaveTheConfigurationalTemperatureAtEveryTimestep) {
  const double temperature = 1.5, stiffness = 4.0;
  for (const double omega_dt : {0.2, 1.0, 1.6}) {
    for (const double mass : {1.0, 7.0}) {
      SCOPED_TRACE(testing::Message() << "omega dt " << omega_dt << ", mass " << mass);
      const double dt = omega_dt / std::sqrt(stiffness / mass);
      const auto integrator = make_integrator(langevin(dt, temperature, 0.5 / dt), kLjUnits, {.seed = 7});
      Particles p = atoms_at_rest(1000, {mass});
      // The slowest mode decays by exp(-(ωΔt)²/γΔt) per step at 0.2, and faster at the others. Samples 120 steps apart
      // are independent to 1e-4.
      std::vector<double> x, v;
      for (std::uint64_t sample = 1; sample <= 10; ++sample) {
        make_steps(*integrator, p, stiffness, 120 * sample - 119, 120 * sample);
        for (const double c : components(p.position)) x.push_back(c);
        for (const double c : components(p.velocity)) v.push_back(c);
      }
      const double relative_error = std::sqrt(2 / static_cast<double>(x.size()));  // of a normal number's variance
      const double x2 = temperature / stiffness, v2 = temperature / mass * (1 - omega_dt * omega_dt / 4);
      EXPECT_NEAR(variance_of(x), x2, 4 * relative_error * x2);
      EXPECT_NEAR(variance_of(v), v2, 4 * relative_error * v2);
      EXPECT_GT(kolmogorov_smirnov_p(x, [&](double c) { return normal_cdf(c / std::sqrt(x2)); }), 0.01);
      EXPECT_GT(kolmogorov_smirnov_p(v, [&](double c) { return normal_cdf(c / std::sqrt(v2)); }), 0.01);
    }
  }
}

TEST(Langevin, WithoutFrictionItIsVelocityVerletToTheByte) {
  Particles p = atoms_at_rest(50, {1.0, 20.0});
  for (std::size_t i = 0; i < p.size(); ++i) p.position[i] = {0.1 * static_cast<double>(i), -1.0 / 3.0, 0.7};
  Particles q = p;
  make_steps(*make_integrator(langevin(0.3, 300, 0), kRealUnits, {.seed = 9}), p, 20.0, 1, 200);
  make_steps(*make_integrator({"velocity-verlet", {{"timestep", 0.3}}}, kRealUnits, {}), q, 20.0, 1, 200);
  EXPECT_GT(norm(p.velocity[1]), 0);
  EXPECT_TRUE(same_bytes(p, q));
}

/// At a temperature of 0 only friction is left: v falls by exp(-γΔt) per step.
TEST(Langevin, AtTemperatureZeroAtomsAreOnlySlowed) {
  Particles p = atoms_at_rest(1, {2.0});
  p.velocity[0] = {1, -2, 0.5};
  make_steps(*make_integrator(langevin(0.1, 0, 0.7), kLjUnits, {}), p, kFree, 1, 10);
  EXPECT_LT(norm(p.velocity[0] - std::exp(-0.7) * Vec3<double>{1, -2, 0.5}), 1e-15);
}

/// A run that resumes with another integrator object draws the numbers that the uninterrupted run would have drawn, and
/// other step numbers give other numbers.
TEST(Langevin, NumbersDependOnSeedStepAndAtomAlone) {
  const FormChoice choice = langevin(0.01, 1.0, 1.0);
  const auto run = [&](std::uint64_t seed, const std::vector<std::array<std::uint64_t, 2>>& pieces) {
    Particles p = atoms_at_rest(30, {1.0});
    for (const auto& [first, last] : pieces)
      make_steps(*make_integrator(choice, kLjUnits, {.seed = seed}), p, 3.0, first, last);
    return p;
  };
  const Particles whole = run(1, {{1, 20}});
  EXPECT_TRUE(same_bytes(whole, run(1, {{1, 7}, {8, 20}})));
  EXPECT_FALSE(same_bytes(whole, run(1, {{1, 7}, {9, 21}})));
  EXPECT_FALSE(same_bytes(whole, run(2, {{1, 20}})));

  // Atom 17 alone, as on a processor that stores atoms in another order.
  const Langevin motion(choice, kLjUnits, {.seed = 1});
  MovingAtom atom{{}, {}, {}, 1.0, 17};
  for (std::uint64_t step = 1; step <= 20; ++step) {
    motion.move(atom, step);
    atom.force = -3.0 * atom.position;
    motion.finish(atom, step);
  }
  EXPECT_EQ(atom.position, whole.position[17]);
  EXPECT_EQ(atom.velocity, whole.velocity[17]);
}

TEST(Langevin, StepsBeyond32BitsAndAtomsUpTo31BitsHaveNumbersOfTheirOwn) {
  const Langevin motion(langevin(0.01, 1.0, 1.0), kLjUnits, {.seed = 1});
  const auto drawn = [&](std::uint64_t step, std::uint32_t number) {
    MovingAtom atom{{}, {}, {}, 1.0, number};
    motion.move(atom, step);
    return atom.velocity;
  };
  const auto one = drawn(1, 0);
  EXPECT_NE(one, drawn(1 + (std::uint64_t{1} << 32U), 0));
  EXPECT_NE(one, drawn(1 + (std::uint64_t{1} << 62U), 0));
  EXPECT_NE(one, drawn(1, (std::uint32_t{1} << 31U) - 1));
  EXPECT_NE(drawn(1, (std::uint32_t{1} << 30U) - 1), drawn(1, (std::uint32_t{1} << 31U) - 1));
}

TEST(Langevin, SameBytesForEveryNumberOfThreads) {
  const auto run = [](int threads) {
    Particles p = atoms_at_rest(10000, {1.0, 2.0});
    make_steps(*make_integrator(langevin(0.01, 1.0, 1.0), kLjUnits, {.seed = 4}), p, 3.0, 1, 5, threads);
    return p;
  };
  const Particles one = run(1);
  EXPECT_TRUE(same_bytes(one, run(2)));
  EXPECT_TRUE(same_bytes(one, run(5)));
}

}  // namespace
}  // namespace dropmd

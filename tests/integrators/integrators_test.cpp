#include <gtest/gtest.h>

#include <cmath>

#include "integrators/integrator.h"

namespace dropmd {
namespace {

constexpr Cpu kCpu{};

Particles one_atom(double mass) {
  Particles p;
  p.position = {{1, 2, 3}};
  p.velocity = {{0.1, 0, -0.2}};
  p.mass = {mass};
  return p;
}

using Forces = std::vector<Vec3<double>>;

TEST(VelocityVerlet, OneStepInUnitsReal) {
  const auto integrator = make_integrator({"velocity-verlet", {{"timestep", 2.0}}}, kRealUnits, {});
  Particles p = one_atom(20.0);
  const Vec3<double> before{6, -4, 2}, after{1, 1, 1};  // kcal/mol/Å
  integrator->move(kCpu, p, Forces{before}, 1);
  const double a = 4.184e-4 / 20.0;  // Å/fs² of a unit force
  const Vec3<double> half = Vec3<double>{0.1, 0, -0.2} + a * before;
  EXPECT_LT(norm(p.position[0] - (Vec3<double>{1, 2, 3} + 2.0 * half)), 1e-14);
  integrator->finish(kCpu, p, Forces{after}, 1);
  EXPECT_LT(norm(p.velocity[0] - (half + a * after)), 1e-16);
  EXPECT_EQ(integrator->timestep(), 2.0);
  EXPECT_FALSE(integrator->is_minimizer());
  EXPECT_EQ(integrator->converged(0), std::nullopt) << "it seeks no minimum";
}

TEST(Descent, MovesByFactorTimesForce) {
  const auto integrator = make_integrator({"descent", {{"factor", 0.01}}}, kRealUnits, {});
  Particles p = one_atom(20.0);
  const auto velocity = p.velocity;
  integrator->move(kCpu, p, Forces{{100, 0, -50}}, 1);
  integrator->finish(kCpu, p, Forces{{7, 7, 7}}, 1);
  EXPECT_LT(norm(p.position[0] - Vec3<double>{2, 2, 2.5}), 1e-15);
  EXPECT_EQ(p.velocity, velocity);
  EXPECT_EQ(integrator->timestep(), 0);
  EXPECT_TRUE(integrator->is_minimizer());
}

FormChoice fire() { return {"fire", {{"timestep", 0.01}, {"force-tolerance", 1e-3}}}; }

TEST(Fire, ConvergesWhereTheLargestForceIsBelowTheTolerance) {
  const auto integrator = make_integrator(fire(), kLjUnits, {});
  EXPECT_TRUE(integrator->is_minimizer());
  EXPECT_EQ(integrator->converged(0.9e-3), true);
  EXPECT_EQ(integrator->converged(1.1e-3), false);
  EXPECT_EQ(integrator->converged(std::nan("")), false) << "NaN is no minimum";
}

/// An anisotropic well: F = −(1, 30, 0.5) x.
TEST(Fire, FindsTheBottomOfAWell) {
  const auto integrator = make_integrator(fire(), kLjUnits, {});
  Particles p = one_atom(1.0);
  p.velocity = {{}};
  const auto force = [&] { return Forces{{-p.position[0].x, -30 * p.position[0].y, -0.5 * p.position[0].z}}; };
  std::uint64_t steps = 0;
  for (Forces f = force(); integrator->converged(norm(f[0])) == false && steps < 5000;) {
    integrator->move(kCpu, p, f, ++steps);
    f = force();
    integrator->finish(kCpu, p, f, steps);
  }
  EXPECT_LT(steps, 5000U);
  EXPECT_LT(norm(p.position[0]), 2e-3 + 1e-12);  // 1e-3 over the softest spring
}

TEST(Fire, NoForceHoweverLargeThrowsAnAtomFar) {
  const auto integrator = make_integrator(fire(), kLjUnits, {});
  Particles p = one_atom(1.0);
  integrator->move(kCpu, p, Forces{{1e15, -1e15, 1e15}}, 1);
  EXPECT_LT(norm(p.position[0] - Vec3<double>{1, 2, 3}), 0.1 + 1e-12);
}

TEST(Fire, StopsWhereItRunsUphill) {
  const auto integrator = make_integrator(fire(), kLjUnits, {});
  Particles p = one_atom(1.0);
  integrator->finish(kCpu, p, Forces{{-5, 0, 10}}, 1);  // against the velocity, even after the half kick
  EXPECT_EQ(p.velocity[0], (Vec3<double>{}));
}

TEST(Integrators, AnUnknownFormIsRefused) {
  EXPECT_THROW(make_integrator({"leapfrog"}, kLjUnits, {}), std::invalid_argument);
  EXPECT_THROW(keeps_momentum({"leapfrog"}), std::invalid_argument);
}

TEST(Integrators, OnlyNoiseOnEveryAtomBreaksTheMomentum) {
  for (const FormInfo& form : integrator_forms())
    EXPECT_EQ(keeps_momentum({std::string(form.name)}), form.name != "langevin") << form.name;
}

}  // namespace
}  // namespace dropmd

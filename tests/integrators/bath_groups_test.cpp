#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/thermometer.h"
#include "integrators/integrator.h"

/// Baths that act on a part of the atoms.
namespace dropmd {
namespace {

constexpr Cpu kOneThread{1};
constexpr std::size_t kAtoms = 300;

/// Free atoms, of which every third is in the bath.
Particles atoms_at_rest_and_in_motion() {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  Particles p;
  for (std::size_t i = 0; i < kAtoms; ++i) {
    p.position.push_back({normal(random), normal(random), normal(random)});
    p.velocity.push_back({normal(random), normal(random), normal(random)});
    p.mass.push_back(1 + 0.01 * static_cast<double>(i));
    p.groups.push_back(i % 3 == 0 ? field::kInBath | field::kInDroplet : field::kInDroplet);
  }
  return p;
}

double temperature_of_bath(const Particles& p, const Units& units) {
  double kinetic = 0;
  for (std::size_t i = 0; i < kAtoms; i += 3) kinetic += 0.5 * p.mass[i] * dot(p.velocity[i], p.velocity[i]);
  return temperature_of(kinetic / units.acceleration, kAtoms, units);  // three for each of a hundred
}

/// Performs steps of a bath at temperature 2.5 without forces. Returns the mean temperature of the atoms in it, and
/// expects the others to fly on as with velocity Verlet, to the last bit, and to receive no heat.
double expect_bath_of_part(const FormChoice& choice) {
  const Units units = units_of(UnitSystem::lj);
  Particles p = atoms_at_rest_and_in_motion(), free = p;
  const std::vector<Vec3<double>> force(kAtoms);
  std::vector<double> heat(kAtoms);
  const auto bath = make_integrator(choice, units, {.seed = 3, .n_dof = 1});
  const auto verlet = make_integrator({"velocity-verlet", {{"timestep", 0.01}}}, units, {});
  bath->set_bath_degrees(kAtoms);
  double sum = 0;
  constexpr std::uint64_t kSteps = 6000, kFirst = 1000;
  for (std::uint64_t step = 1; step <= kSteps; ++step) {
    bath->move(kOneThread, p, force, step, heat);
    bath->finish(kOneThread, p, force, step);
    bath->couple(kOneThread, p, force, step, heat);
    verlet->move(kOneThread, free, force, step, {});
    verlet->finish(kOneThread, free, force, step);
    if (step > kFirst) sum += temperature_of_bath(p, units);
  }
  for (std::size_t i = 0; i < kAtoms; ++i) {
    if (i % 3 == 0) continue;
    EXPECT_EQ(p.position[i], free.position[i]);
    EXPECT_EQ(p.velocity[i], free.velocity[i]);
    EXPECT_EQ(heat[i], 0);
  }
  return sum / static_cast<double>(kSteps - kFirst);
}

/// The kinetic energy of n degrees of freedom has a relative deviation of sqrt(2/n) = 0.082; within 50 time units with
/// a memory of 0.5 there are some 100 independent values, so that the mean is good to 0.008: the bounds are four times
/// that.
TEST(BathGroups, LangevinActsOnAPart) {
  EXPECT_NEAR(expect_bath_of_part({"langevin", {{"timestep", 0.01}, {"temperature", 2.5}, {"friction", 1.0}}}), 2.5,
              0.033 * 2.5);
}

TEST(BathGroups, CsvrActsOnAPart) {
  EXPECT_NEAR(expect_bath_of_part({"csvr", {{"timestep", 0.01}, {"temperature", 2.5}, {"relaxation", 0.5}}}), 2.5,
              0.033 * 2.5);
}

}  // namespace
}  // namespace dropmd

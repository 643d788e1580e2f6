#include "forces/fields/uniform_field.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "engine/model/form_catalog.h"
#include "forces/fields/atom_force_terms.h"
#include "inputs/run_file/recentring.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/run_file.h"
#include "inputs/structures/structure.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/processors.h"
#include "tests/support/system/temp_folder.h"

/// The uniform electric field (docs/physics.md), alone and in runs on every processor.
namespace dropmd {
namespace {

FormChoice field(const Vec3<double>& strength, double frequency = 0) {
  FormChoice choice{"uniform", {{"frequency", frequency}}};
  choice.set_vector("strength", strength);
  return choice;
}

/// One atom of charge q and mass m at rest at the origin, in lj units, on which nothing else acts.
System one_charge(RunConfig& config, double q, double m) {
  config.lennard_jones.reset();
  Structure structure;
  structure.position = {{0, 0, 0}};
  structure.charge = {q};
  structure.mass = {m};
  structure.species = {0};
  structure.species_names = {"X"};
  return build_system(config, structure);
}

/// A ball of 43 atoms with alternating charges that add up to `net`.
Structure charged_ball(double net) {
  Structure structure;
  structure.position = fcc_ball(6).position;
  const std::size_t n = structure.position.size();
  structure.species.assign(n, 0);
  structure.species_names = {"X"};
  for (std::size_t i = 0; i < n; ++i) structure.charge.push_back(i % 2 == 0 ? 0.5 : -0.5);
  double sum = 0;
  for (const double q : structure.charge) sum += q;
  structure.charge.front() += net - sum;
  return structure;
}

RunConfig ball_run(FormChoice integrator, std::int64_t steps) {
  RunConfig config = lj_run(std::move(integrator), steps);
  config.coulomb = FormChoice{"exact"};
  return config;
}

double dipole_along_z(const System& system) {
  double dipole = 0;
  for (std::size_t i = 0; i < system.particles.size(); ++i)
    dipole += system.particles.charge[i] * system.particles.position[i].z;
  return dipole;
}

TEST(UniformField, StrengthIsInVoltsPerAngstromInUnitsReal) {
  const double charge = 2;
  const AtomPoint atom{{0, 0, 3}, &charge, 0};
  const AtomTermValue real = UniformField(field({0, 0, 0.1}), kRealUnits)(atom);
  EXPECT_NEAR(real.force.z, 2 * 0.1 * 23.0605478, 1e-7) << "1 V/A is 23.0605478 kcal/mol/e/A";
  EXPECT_DOUBLE_EQ(real.energy, -real.force.z * 3);
  EXPECT_EQ(UniformField(field({0, 0, 0.1}), kLjUnits)(atom).force, (Vec3<double>{0, 0, 0.2}));
  EXPECT_EQ(UniformField()(atom).force, (Vec3<double>{}));
}

TEST(UniformField, OscillatesAndKeepsItsPhaseInLongRuns) {
  const double charge = 1;
  const UniformField term(field({1, 0, 0}, 0.25), kLjUnits);
  const auto force_at = [&](double time) { return term({{0, 0, 0}, &charge, time}).force.x; };
  EXPECT_EQ(force_at(0), 1);
  EXPECT_NEAR(force_at(1), 0, 1e-15);
  EXPECT_NEAR(force_at(0.5), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(force_at(2), -1, 1e-15);
  EXPECT_NEAR(force_at(4e12 + 1), 0, 1e-15) << "a quarter period after a whole number of them";
}

class UniformFieldRuns : public OnProcessors {};
INSTANTIATE_TEST_SUITE_P(Processors, UniformFieldRuns, all_processors(), name_of_processor);

/// Velocity Verlet follows a parabola within rounding: x = ½ (qE/m) t².
TEST_P(UniformFieldRuns, AChargeFallsAsItShould) {
  RunConfig config = lj_run(verlet(0.01), 500);
  config.fields["field"] = field({0.3, 0, -0.4});
  System system = one_charge(config, -2, 4);
  const RunResult run = run_short(system, config, method());
  const double t = 5, fall = 0.5 * (-2.0 / 4.0) * t * t;
  EXPECT_NEAR(system.particles.position[0].x, 0.3 * fall, 1e-12);
  EXPECT_NEAR(system.particles.position[0].y, 0, 1e-15);
  EXPECT_NEAR(system.particles.position[0].z, -0.4 * fall, 1e-12);
  EXPECT_NEAR(run.last.energies.of("field"), -run.last.energies.kinetic, 1e-12) << "what it lost it has in speed";
  EXPECT_NEAR(run.last.energies.kinetic, 0.5 * 4 * std::pow(0.5 * 0.5 * t, 2), 1e-12);
  EXPECT_NEAR(run.force[0].z, 0.8, 1e-12);
}

/// From rest, x = (qE/mω²)(1 − cos ωt); velocity Verlet has a relative error of (ωΔt)²/12.
TEST_P(UniformFieldRuns, AChargeFollowsAnOscillatingField) {
  RunConfig config = lj_run(verlet(0.005), 1000);
  const double frequency = 0.15, omega = 2 * std::numbers::pi * frequency;
  config.fields["field"] = field({0, 2, 0}, frequency);
  System system = one_charge(config, 1.5, 3);
  const RunResult run = run_short(system, config, method(), 100);
  const double amplitude = 1.5 * 2 / (3 * omega * omega);
  const double error = amplitude * std::pow(omega * 0.005, 2);
  EXPECT_NEAR(system.particles.position[0].y, amplitude * (1 - std::cos(omega * 5)), error);
  EXPECT_NEAR(run.force[0].y, 1.5 * 2 * std::cos(omega * 5), 1e-9);
  ASSERT_EQ(run.rows.size(), 11U);
  EXPECT_NEAR(run.rows[3].energies.of("field"), -3 * std::cos(omega * 1.5) * amplitude * (1 - std::cos(omega * 1.5)),
              3 * 2 * error);
}

TEST_P(UniformFieldRuns, ANeutralDropletPolarisesAndStaysWhereItIs) {
  RunConfig config = ball_run({"fire", {{"timestep", 0.005}, {"force-tolerance", reachable_force(GetParam())}}}, 4000);
  System without = build_system(config, charged_ball(0));
  run_short(without, config, method(), 0);
  config.fields["field"] = field({0, 0, 0.2});
  System within = build_system(config, charged_ball(0));
  const RunResult run = run_short(within, config, method(), 0);
  EXPECT_EQ(run.end, RunEnd::converged);
  EXPECT_GT(dipole_along_z(within), dipole_along_z(without) + 0.01);
  EXPECT_NEAR(run.last.energies.of("field"), -0.2 * dipole_along_z(within), 1e-9);
  Vec3<double> middle{};
  for (const Vec3<double>& x : within.particles.position) middle += (1.0 / 43) * x;
  EXPECT_LT(norm(middle), 1e-2) << "no net force acts on it";
}

TEST_P(UniformFieldRuns, AConstantFieldConservesEnergy) {
  RunConfig config = ball_run(verlet(0.002), 1000);
  config.temperature = 0.05;
  config.fields["field"] = field({1, 0, 1});
  System system = build_system(config, charged_ball(3));
  const RunResult run = run_short(system, config, method(), 50);
  const double gained = run.rows.front().energies.of("field") - run.last.energies.of("field");
  EXPECT_GT(gained, 1) << "the field does work on the droplet";
  for (const EnergyRow& row : run.rows)
    EXPECT_NEAR(row.energies.total(), run.rows.front().energies.total(), 2e-3 * gained) << row.step;
}

TEST_P(UniformFieldRuns, ActsBesideAWall) {
  RunConfig config = lj_run(verlet(0.01), 3000);
  config.fields["field"] = field({0, 0, 1});
  config.fields["wall"] = FormChoice{"harmonic", {{"radius", 5.0}, {"stiffness", 2.0}}};
  System system = one_charge(config, 1, 1);
  const RunResult run = run_short(system, config, method(), 10);
  double deepest = 0;
  for (const EnergyRow& row : run.rows) {
    deepest = std::max(deepest, row.energies.of("wall"));
    EXPECT_NEAR(row.energies.total(), 0, 1e-3);
  }
  // At the turning point, ½ k b² = q E (R + b), so b = (1 + sqrt(1 + 2 k R))/k for qE = 1.
  const double b = (1 + std::sqrt(1 + 2 * 2.0 * 5.0)) / 2.0;
  EXPECT_NEAR(deepest, b * b, 0.02 * b * b);
}

TEST(UniformFieldRun, NothingIsRecentredBesideAField) {
  const TempFolder folder;
  const auto path =
      folder.write("run.toml", "units = \"real\"\nsystem.structure = \"a.xyz\"\n[field]\nstrength = [0, 0, 0.1]\n");
  const RunConfig config = read_run_file(path, form_catalog());
  EXPECT_EQ(config.fields.at("field").vector_at("strength"), (Vec3<double>{0, 0, 0.1}));
  EXPECT_EQ(config.fields.at("field").at("frequency"), 0);
  EXPECT_EQ(recentring(config), Recenter::none);
}

TEST(UniformFieldRun, EnergyCsvHasItsColumnWhereThereIsAField) {
  EXPECT_THAT(atom_energy_names({}), testing::ElementsAre("wall"));
  EXPECT_THAT(atom_energy_names({{"field", field({1, 0, 0})}}), testing::ElementsAre("wall", "field"));
  EXPECT_FALSE(invariance_of({{"field", field({1, 0, 0})}}).rotation);
  EXPECT_TRUE(invariance_of({{"wall", FormChoice{"harmonic"}}}).rotation);
}

}  // namespace
}  // namespace dropmd

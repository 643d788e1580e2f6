#include "core/run/ledger.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/processors.h"
#include "tests/support/short_run.h"

/// Whole runs: the energy that entered or left the system accounts for every change of the total energy.
namespace dropmd {
namespace {

constexpr double kTimestep = 0.004;

FormChoice langevin(double temperature = 0.4, double friction = 0.5) {
  return {"langevin", {{"timestep", kTimestep}, {"temperature", temperature}, {"friction", friction}}};
}
FormChoice csvr(double temperature = 0.4) {
  return {"csvr", {{"timestep", kTimestep}, {"temperature", temperature}, {"relaxation", 0.2}}};
}
FormChoice uniform_field(const Vec3<double>& strength, double frequency) {
  FormChoice field{"uniform", {{"frequency", frequency}}};
  field.set_vector("strength", strength);
  return field;
}

/// Charged atoms that do not interact.
Structure free_atoms(std::size_t n) {
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  Structure structure;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = 10 * normal(random), y = 10 * normal(random), z = 10 * normal(random);
    structure.position.push_back({x, y, z});
    structure.velocity.push_back({normal(random), normal(random), normal(random)});
    structure.charge.push_back(normal(random));
    structure.mass.push_back(1.0 + static_cast<double>(i % 3));
    structure.species.push_back(0);
  }
  structure.species_names = {"X"};
  return structure;
}
RunConfig free_run(const FormChoice& integrator, std::int64_t steps) {
  RunConfig config = lj_run(integrator, steps);
  config.lennard_jones.reset();
  return config;
}

/// A warm droplet in a wall that some atoms touch, with everything that may give it energy.
RunConfig busy_run(const FormChoice& integrator, std::int64_t steps) {
  RunConfig config = lj_run(integrator, steps);
  config.temperature = 0.4;
  config.fields["wall"] = FormChoice{"harmonic", {{"radius", 2.5}, {"stiffness", 3.0}}};
  config.fields["field"] = uniform_field({0.5, 0, -0.3}, 0.4);
  config.recenter_every = 10;
  config.recenter = Recenter::mass;
  config.remove_momentum = RemoveMomentum::both;
  return config;
}
Structure busy_droplet() {
  Structure structure = structure_of(fcc_ball(12));
  for (std::size_t i = 0; i < structure.charge.size(); ++i) structure.charge[i] = i % 2 == 0 ? 0.4 : -0.3;
  return structure;
}

/// The largest |change of the total − booked energy| of a run since its start, and Σ |change in a step|.
struct Closure {
  double worst = 0, absolute = 0;
};
Closure closure_of(const std::vector<EnergyRow>& rows) {
  Closure closure;
  for (std::size_t k = 1; k < rows.size(); ++k) {
    const double change = rows[k].energies.total() - rows[0].energies.total();
    closure.worst = std::max(closure.worst, std::abs(change - rows[k].ledger.total()));
    for (std::size_t c = 0; c < kCauses; ++c)
      closure.absolute += std::abs(rows[k].ledger.booked[c] - rows[k - 1].ledger.booked[c]);
  }
  return closure;
}

class LedgerRuns : public testing::TestWithParam<Processor> {
 protected:
  void SetUp() override {
    if (const std::string reason = reason_to_skip(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
  }
  static Method method() { return method_on(GetParam()); }
  static RunResult run_of(const RunConfig& config, const Structure& structure, std::int64_t energies_every = 1) {
    System system = build_system(config, structure);
    return run_short(system, config, method(), energies_every);
  }
};

TEST_P(LedgerRuns, BeginsAtZeroAndIsNotThereWhereNothingComesIn) {
  RunConfig config = busy_run(langevin(), 3);
  const RunResult run = run_of(config, busy_droplet());
  EXPECT_EQ(run.rows[0].ledger.total(), 0);
  EXPECT_EQ(run.rows[0].conserved(), run.rows[0].energies.total());
  for (const Cause cause : {Cause::bath, Cause::field}) EXPECT_NE(run.last.ledger.of(cause), 0);
  config = lj_run(verlet(kTimestep), 3);
  EXPECT_EQ(run_of(config, busy_droplet()).last.conserved(), std::nullopt);
}

/// Only the bath acts on free atoms.
TEST_P(LedgerRuns, ABathAccountsForAllEnergyOfFreeAtoms) {
  for (const FormChoice& bath : {langevin(2.0), csvr(2.0)}) {
    const RunResult run = run_of(free_run(bath, 300), free_atoms(500));
    const Closure closure = closure_of(run.rows);
    EXPECT_GT(std::abs(run.last.ledger.of(Cause::bath)), 10) << bath.form;
    EXPECT_LE(closure.worst, 1e-12 * closure.absolute) << bath.form;
  }
}

/// A constant field accelerates free atoms; every seven steps, ½ P²/M of it is removed.
TEST_P(LedgerRuns, RemovalOfMomentumAccountsForWhatIsGone) {
  RunConfig config = free_run(verlet(kTimestep), 70);
  config.fields["field"] = uniform_field({3, 0, 4}, 0);
  config.recenter_every = 7;
  config.remove_momentum = RemoveMomentum::linear;
  const Structure structure = free_atoms(50);
  const RunResult run = run_of(config, structure);
  double charge = 0, mass = 0;
  for (std::size_t i = 0; i < 50; ++i) charge += structure.charge[i], mass += structure.mass[i];
  const double momentum = 5 * charge * 7 * kTimestep;
  EXPECT_NEAR(run.last.ledger.of(Cause::momentum), -10 * momentum * momentum / (2 * mass), 1e-11);
  for (const EnergyRow& row : run.rows)
    EXPECT_NEAR(row.energies.total() - row.ledger.total(), run.rows[0].energies.total(), 1e-10) << row.step;
}

TEST_P(LedgerRuns, BathAndRemovalOfBothMomentaAccountForAllEnergyOfFreeAtoms) {
  RunConfig config = free_run(langevin(2.0), 300);
  config.recenter_every = 5;
  config.remove_momentum = RemoveMomentum::both;
  const RunResult run = run_of(config, free_atoms(200));
  const Closure closure = closure_of(run.rows);
  EXPECT_LT(run.last.ledger.of(Cause::momentum), -1);
  EXPECT_LE(closure.worst, 1e-12 * closure.absolute);
}

/// Velocity Verlet with a force that depends on time alone has an error of Δt²/(8m) (F(t)² − F(0)²), which the
/// trapezoidal rule leaves in the sum; the work is that of ∫ −q Ė·x dt.
TEST_P(LedgerRuns, AnOscillatingFieldAccountsForTheEnergyOfFreeCharges) {
  const double frequency = 0.3, omega = 2 * std::numbers::pi * frequency, strength = 2;
  RunConfig config = free_run(verlet(kTimestep), 1000);
  config.fields["field"] = uniform_field({0, strength, 0}, frequency);
  Structure structure = free_atoms(1);
  structure.position[0] = structure.velocity[0] = {};
  structure.charge[0] = 1.5, structure.mass[0] = 3;
  const RunResult run = run_of(config, structure);
  const double force = 1.5 * strength, amplitude = force / (3 * omega * omega);
  double absolute = 0;
  for (std::size_t k = 1; k < run.rows.size(); ++k) {
    const EnergyRow& row = run.rows[k];
    const double c = std::cos(omega * row.time), s = std::sin(omega * row.time);
    absolute += std::abs(row.ledger.of(Cause::field) - run.rows[k - 1].ledger.of(Cause::field));
    const double of_integrator = kTimestep * kTimestep / 24 * force * force * (c * c - 1);
    EXPECT_NEAR(*row.conserved(), run.rows[0].energies.total() + of_integrator, 1e-12 * (absolute + force * amplitude));
    EXPECT_NEAR(row.ledger.of(Cause::field), force * amplitude * (1 - c - 0.5 * s * s),
                std::pow(omega * kTimestep, 2) * force * amplitude);
  }
}

/// Recentring pushes atoms into the wall or lets them out of it. It happens between the two halves of a velocity step,
/// and the second half takes the force at the shifted positions. This leaves an error of first order in the timestep.
TEST_P(LedgerRuns, RecentringAgainstAWallIsAccountedFor) {
  RunConfig config = free_run(verlet(0), 0);
  config.fields["wall"] = FormChoice{"harmonic", {{"radius", 3.0}, {"stiffness", 2.0}}};
  config.recenter = Recenter::geometric;
  Structure structure = free_atoms(20);
  for (Vec3<double>& v : structure.velocity) v += {3, 0, 0};
  std::vector<double> left;
  for (const std::int64_t steps : {500, 1000, 2000}) {
    config.integrator = verlet(1.0 / static_cast<double>(steps));
    config.steps = steps;
    config.recenter_every = steps / 50;
    const RunResult run = run_of(config, structure);
    const double total = run.rows[0].energies.total();
    double without = 0, with = 0;
    for (const EnergyRow& row : run.rows) {
      without = std::max(without, std::abs(row.energies.total() - total));
      with = std::max(with, std::abs(*row.conserved() - total));
    }
    EXPECT_GT(without, 20 * with);
    left.push_back(with);
  }
  EXPECT_NEAR(left[0] / left[1], 2, 0.2);
  EXPECT_NEAR(left[1] / left[2], 2, 0.2);
}

/// The RMS deviation from the mean.
template <class Value>
double fluctuation(const std::vector<EnergyRow>& rows, const Value& value) {
  double sum = 0, squares = 0;
  const auto n = static_cast<double>(rows.size());
  for (const EnergyRow& row : rows) sum += value(row);
  for (const EnergyRow& row : rows) squares += std::pow(value(row) - sum / n, 2);
  return std::sqrt(squares / n);
}

/// With baths and actions, `conserved` is as constant as the total energy is without them at the same timestep.
TEST_P(LedgerRuns, IsConservedAsTheTotalEnergyIsWithoutActions) {
  const auto total = [](const EnergyRow& row) { return row.energies.total(); };
  const auto conserved = [](const EnergyRow& row) { return *row.conserved(); };
  RunConfig config = busy_run(verlet(kTimestep), 2000);
  config.fields["field"] = uniform_field({0.5, 0, -0.3}, 0);
  config.recenter_every = 0;
  const double alone = fluctuation(run_of(config, busy_droplet()).rows, total);
  for (const FormChoice& integrator : {langevin(), csvr(), verlet(kTimestep)}) {
    const RunResult run = run_of(busy_run(integrator, 2000), busy_droplet());
    EXPECT_GT(fluctuation(run.rows, total), 100 * alone) << integrator.form;
    EXPECT_LT(fluctuation(run.rows, conserved), 10 * alone) << integrator.form;
  }
}

/// The ledger does not depend on how the steps are divided among launches, nor on observers.
TEST_P(LedgerRuns, HasTheSameBytesWithAnyObservers) {
  for (const FormChoice& integrator : {langevin(), csvr()}) {
    const RunConfig config = busy_run(integrator, 120);
    const RunResult often = run_of(config, busy_droplet(), 1), once = run_of(config, busy_droplet(), 0),
                    at_times = run_of(config, busy_droplet(), 17);
    EXPECT_EQ(often.last.ledger.booked, once.last.ledger.booked) << integrator.form;
    EXPECT_EQ(often.last.ledger.booked, at_times.last.ledger.booked) << integrator.form;
  }
}

/// The ledger is that of the CPU, up to the rounding of 20 steps.
TEST_P(LedgerRuns, IsTheSameOnEveryProcessor) {
  for (const FormChoice& integrator : {langevin(), csvr(), verlet(kTimestep)}) {
    const RunConfig config = busy_run(integrator, 20);
    const RunResult here = run_of(config, busy_droplet());
    System system = build_system(config, busy_droplet());
    const RunResult on_cpu = run_short(system, config);
    const double bound = precision_of(GetParam()) == Precision::mixed && GetParam() != Processor::cpu ? 1e-4 : 1e-9;
    EXPECT_EQ(here.last.ledger.causes, on_cpu.last.ledger.causes);
    for (std::size_t k = 0; k < kCauses; ++k)
      EXPECT_NEAR(here.last.ledger.booked[k], on_cpu.last.ledger.booked[k], bound) << integrator.form << kCauseNames[k];
  }
}

INSTANTIATE_TEST_SUITE_P(All, LedgerRuns, all_processors(), name_of_processor);

}  // namespace
}  // namespace dropmd

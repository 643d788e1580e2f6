#include <gtest/gtest.h>

#include <limits>

#include "core/errors.h"
#include "engine/library/simulation.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/processors.h"

/// The library's class Simulation: the steps of a run, divided as the caller wishes.
namespace dropmd {
namespace {

Structure ball() {
  ChargedAtoms atoms = fcc_ball(18);
  atoms.charge.resize(atoms.position.size());
  for (std::size_t i = 0; i < atoms.charge.size(); ++i) atoms.charge[i] = i % 2 == 0 ? 0.3 : -0.3;
  return structure_of(atoms);
}

class Library : public OnProcessors {
 protected:
  static RunConfig settings(FormChoice integrator = verlet(0.004)) {
    RunConfig config = lj_run(std::move(integrator), 60);
    config.lennard_jones->treatment = {"force-shift", {{"cutoff", 2.5}}};
    config.coulomb = FormChoice{"reaction-field", {{"cutoff", 2.5}, {"dielectric", 1}}};
    config.temperature = 0.4;
    config.recenter_every = 25;
    config.recenter = Recenter::mass;
    const Method on = method();
    config.backend = on.backend;
    config.precision = on.precision;
    return config;
  }
  static System system(const RunConfig& config) { return build_system(config, ball()); }
  static Simulation simulation(const RunConfig& config = settings()) { return {system(config), config}; }
};
INSTANTIATE_TEST_SUITE_P(Processors, Library, all_processors(), name_of_processor);

void expect_same_bits(std::span<const Vec3<double>> a, std::span<const Vec3<double>> b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a[i], b[i]) << "atom " << i;
}

TEST_P(Library, StepsAreTheSameHoweverTheyAreDivided) {
  for (const FormChoice& integrator :
       {verlet(0.004), FormChoice{"langevin", {{"timestep", 0.004}, {"temperature", 0.5}, {"friction", 1}}}}) {
    Simulation whole = simulation(settings(integrator)), parts = simulation(settings(integrator));
    whole.step(60);
    for (const int n : {1, 0, 24, 25, 10}) {
      parts.step(n);
      parts.energies();
    }
    EXPECT_EQ(parts.step_number(), 60);
    EXPECT_DOUBLE_EQ(parts.time(), 0.24);
    expect_same_bits(whole.positions(), parts.positions());
    expect_same_bits(whole.velocities(), parts.velocities());
    expect_same_bits(whole.forces(), parts.forces());
    EXPECT_EQ(whole.energies().total(), parts.energies().total());
  }
}

TEST_P(Library, MakesTheStepsOfARun) {
  const RunConfig config = settings();
  Simulation in_memory = simulation(config);
  in_memory.step(60);
  System of_run = system(config);
  Method method = OnProcessors::method();
  method.neighbor = NeighborMethod::pair_list;
  RunConfig fixed = config;
  fixed.neighbor = in_memory.state().choice.neighbor;
  method = with_choice(method, in_memory.state().choice);
  const RunResult run = run_short(of_run, fixed, method, 60);
  const double error = 1e-9 * std::abs(run.last.energies.potential()) + (is_mixed() ? 1e-3 : 0);
  EXPECT_NEAR(in_memory.energies().total(), run.last.energies.total(), error);
  EXPECT_NEAR(in_memory.temperature(), run.last.temperature, 1e-6);
}

TEST_P(Library, TheLedgerSaysWhatCameIn) {
  RunConfig config = settings({"langevin", {{"timestep", 0.004}, {"temperature", 1.0}, {"friction", 1}}});
  config.remove_momentum = RemoveMomentum::linear;
  Simulation droplet = simulation(config);
  EXPECT_EQ(droplet.ledger().total(), 0);
  const double begin = droplet.conserved(), total = droplet.energies().total();
  EXPECT_EQ(begin, total);
  droplet.step(60);
  const Ledger ledger = droplet.ledger();
  EXPECT_EQ(ledger.causes.size(), 2U);
  EXPECT_GT(ledger.of(Cause::bath), 10);
  EXPECT_LT(ledger.of(Cause::momentum), 0);
  EXPECT_EQ(droplet.conserved(), droplet.energies().total() - ledger.total());
  EXPECT_NEAR(droplet.conserved(), begin, 0.02 * ledger.of(Cause::bath));
  Simulation alone = simulation();
  alone.step(60);
  EXPECT_FALSE(alone.ledger().causes.any());
  EXPECT_EQ(alone.conserved(), alone.energies().total());
}

TEST_P(Library, AStateIsTakenAndRestored) {
  Simulation one = simulation();
  one.step(30);
  const RunState state = one.state();
  one.step(30);
  Simulation other = simulation();
  other.restore(state);
  EXPECT_EQ(other.step_number(), 30);
  other.step(30);
  expect_same_bits(one.positions(), other.positions());
  expect_same_bits(one.velocities(), other.velocities());
}

TEST_P(Library, VelocitiesAndPositionsMayBeSet) {
  Simulation droplet = simulation();
  droplet.step(20);
  const double kinetic = droplet.energies().kinetic, potential = droplet.energies().potential();
  std::vector<Vec3<double>> faster(droplet.velocities().begin(), droplet.velocities().end());
  for (Vec3<double>& v : faster) v = 2.0 * v;
  droplet.set_velocities(faster);
  EXPECT_NEAR(droplet.energies().kinetic, 4 * kinetic, 1e-12 * kinetic);
  EXPECT_NEAR(droplet.energies().potential(), potential, bounds().energy * 2000);
  EXPECT_EQ(droplet.step_number(), 20);
  std::vector<Vec3<double>> apart(droplet.positions().begin(), droplet.positions().end());
  for (Vec3<double>& x : apart) x = 3.0 * x;
  droplet.set_positions(apart);
  EXPECT_EQ(droplet.energies().potential(), 0) << "nobody is within the cutoff";
  droplet.step(1);
  EXPECT_EQ(droplet.step_number(), 21);
}

TEST_P(Library, ErrorsAreExceptions) {
  const RunConfig config = settings();
  System overlapping = system(config);
  overlapping.particles.position[1] = overlapping.particles.position[0];
  EXPECT_THROW(Simulation(overlapping, config), PhysicsError);
  Simulation droplet = simulation();
  EXPECT_THROW(droplet.step(-1), std::invalid_argument);
  EXPECT_THROW(droplet.set_velocities({}), std::invalid_argument);
  std::vector<Vec3<double>> bad(droplet.n_atoms());
  bad[3].x = std::numeric_limits<double>::quiet_NaN();
  droplet.step(5);
  const double energy = droplet.energies().total();
  EXPECT_THROW(droplet.set_velocities(bad), PhysicsError);
  EXPECT_THROW(droplet.set_positions(std::vector<Vec3<double>>(droplet.n_atoms())), PhysicsError) << "all in one place";
  EXPECT_EQ(droplet.energies().total(), energy) << "as it was before";
  EXPECT_EQ(droplet.step_number(), 5);
  const RunState good = droplet.state();
  RunState overlap = good, of_others = good;
  overlap.position[1] = overlap.position[0];
  EXPECT_THROW(droplet.restore(overlap), PhysicsError);
  of_others.position.pop_back();
  EXPECT_THROW(droplet.restore(of_others), std::invalid_argument);
  expect_same_bits(droplet.positions(), good.position);
  expect_same_bits(droplet.velocities(), good.velocity);
  droplet.step(1);
  RunConfig all = settings();
  all.coulomb = FormChoice{"exact"};
  all.neighbor = NeighborMethod::cells;
  EXPECT_THROW(Simulation(system(all), all), InputError);
}

TEST_P(Library, AStepThatFailsLeavesNothingButRestore) {
  Simulation droplet = simulation(), other = simulation();
  droplet.step(10);
  other.step(10);
  const RunState good = droplet.state();
  std::vector<Vec3<double>> fast(droplet.n_atoms());
  fast[0].x = 1e4;
  droplet.set_velocities(fast);
  EXPECT_THROW(droplet.step(3), PhysicsError);
  EXPECT_THROW(droplet.step(1), std::logic_error);
  EXPECT_THROW(droplet.energies(), std::logic_error);
  EXPECT_THROW(droplet.set_velocities(fast), std::logic_error);
  droplet.restore(good);
  droplet.step(10);
  other.step(10);
  expect_same_bits(droplet.positions(), other.positions());
  expect_same_bits(droplet.velocities(), other.velocities());
}

TEST_P(Library, AMinimiserSaysWhenItIsDone) {
  RunConfig config = settings({"fire", {{"timestep", 0.005}, {"force-tolerance", reachable_force(GetParam())}}});
  Simulation droplet = simulation(config);
  EXPECT_FALSE(droplet.step(5));
  EXPECT_TRUE(droplet.step(20'000));
  const std::int64_t steps = droplet.step_number();
  EXPECT_LT(steps, 20'005);
  EXPECT_TRUE(droplet.step(100));
  EXPECT_EQ(droplet.step_number(), steps);
}

}  // namespace
}  // namespace dropmd

#include "engine/simulation.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/ordered_sum.h"
#include "engine/centre.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/random_droplets.h"
#include "tests/support/short_run.h"

/// The order of things within a step, and what a run leaves behind.
namespace dropmd {
namespace {

ChargedAtoms off_centre_ball() { return moved(fcc_ball(8), {5, -3, 1}); }

TEST(Simulation, RowKIsTheStateAfterKMoves) {
  const RunConfig config = lj_run(verlet(0.01), 5);
  System system = build_system(config, structure_of(off_centre_ball()));
  std::vector<std::vector<Vec3<double>>> positions;
  const RunResult run = run_short(system, config, fp64_method(), 1,
                                  [&](const Snapshot& s) { positions.push_back(s.particles.position); });
  ASSERT_EQ(run.rows.size(), 6U);
  EXPECT_EQ(positions[0], off_centre_ball().position);
  for (std::size_t k = 0; k < run.rows.size(); ++k) {
    EXPECT_EQ(run.rows[k].step, static_cast<std::int64_t>(k));
    EXPECT_DOUBLE_EQ(run.rows[k].time, 0.01 * static_cast<double>(k));
    std::vector<Vec3<double>> force(positions[k].size());
    const double energy = make_pair_forces(fp64_method(), system.model, {system.particles.charge, system.pair_species})
                              ->evaluate(positions[k], force, Want::forces_and_energies)
                              .vdw;
    EXPECT_EQ(run.rows[k].energies.vdw, energy);
  }
  EXPECT_EQ(run.rows[0].energies.kinetic, 0);
  EXPECT_GT(run.rows[1].energies.kinetic, 0);
}

TEST(Simulation, RecentresAtMultiplesOfTheIntervalBeforeTheForces) {
  RunConfig config = lj_run(verlet(0.01), 6);
  config.recenter = Recenter::geometric;
  config.recenter_every = 3;
  config.wall = FormChoice{"quartic", {{"radius", 1.0}, {"stiffness", 0.01}}};
  Structure structure = structure_of(off_centre_ball());
  structure.velocity.assign(structure.position.size(), {1.0, 0, 0});
  System system = build_system(config, structure);
  run_short(system, config, fp64_method(), 1, [&](const Snapshot& s) {
    const double off = norm(centre_of(Cpu{}, s.particles, Recenter::geometric));
    if (s.step % 3 == 0)
      EXPECT_LT(off, 1e-13) << "step " << s.step;
    else
      EXPECT_GT(off, 1e-3) << "step " << s.step;
    // Wall energy and forces are those of the recentred positions.
    std::vector<Vec3<double>> force(s.particles.size());
    const auto result =
        ForceField(system, fp64_method()).evaluate(s.particles.position, force, Want::forces_and_energies);
    EXPECT_EQ(s.energies->energies.wall, result.energies.wall);
    EXPECT_EQ(std::vector<Vec3<double>>(s.force.begin(), s.force.end()), force);
  });
}

TEST(Simulation, IntervalZeroNeverRecentres) {
  RunConfig config = lj_run(verlet(0.01), 2);
  config.recenter = Recenter::geometric;
  System system = build_system(config, structure_of(off_centre_ball()));
  run_short(system, config);
  EXPECT_GT(norm(centre_of(Cpu{}, system.particles, Recenter::geometric)), 5.0);
}

TEST(Simulation, RemovesMomentaAtTheRecentringSteps) {
  RunConfig config = lj_run(verlet(0.005), 4);
  config.recenter_every = 4;
  config.recenter = Recenter::mass;
  config.remove_momentum = RemoveMomentum::both;
  Structure structure = structure_of(off_centre_ball());
  for (const Vec3<double>& x : structure.position) structure.velocity.push_back({0.1 * x.y, 1.0, 0});
  System system = build_system(config, structure);
  const RunResult run = run_short(system, config);
  const Particles& p = system.particles;
  const auto sum = [&](const auto& value) { return ordered_sum<Vec3<double>>(Cpu{}, p.size(), value); };
  EXPECT_LT(norm(sum([&](std::size_t i) { return p.velocity[i]; })), 1e-12);
  EXPECT_LT(norm(sum([&](std::size_t i) { return cross(p.position[i], p.velocity[i]); })), 1e-12);
  // The row of that step is of the state after the removal; 3N − 6 degrees of freedom.
  EXPECT_NEAR(run.last.temperature, 2 * run.last.energies.kinetic / (3.0 * static_cast<double>(p.size()) - 6), 1e-13);
}

TEST(Simulation, InterruptedBetweenRowsStillKnowsItsEnergies) {
  const RunConfig config = lj_run(verlet(0.01), 100);
  System system = build_system(config, structure_of(off_centre_ball()));
  int asked = 0;
  const RunResult run = run_short(system, config, fp64_method(), 0, nullptr, [&] { return ++asked == 8; });
  EXPECT_EQ(run.end, RunEnd::interrupted);
  EXPECT_EQ(run.steps, 7);
  EXPECT_EQ(run.last.step, 7);
  EXPECT_LT(run.last.energies.vdw, -100);
  EXPECT_GT(run.last.energies.kinetic, 0);
}

TEST(Simulation, InterruptedAtStepZeroStillKnowsItsEnergies) {
  const RunConfig config = lj_run(verlet(0.01), 100);
  System system = build_system(config, structure_of(off_centre_ball()));
  const RunResult run = run_short(system, config, fp64_method(), 0, nullptr, [] { return true; });
  EXPECT_EQ(run.end, RunEnd::interrupted);
  EXPECT_EQ(run.steps, 0);
  EXPECT_LT(run.last.energies.vdw, -100) << "energies() is of no step";
}

TEST(Simulation, ConvergedAtStepZeroStillKnowsItsEnergies) {
  ChargedAtoms dimer;
  dimer.add({0, 0, 0});
  dimer.add({1.122462048309373, 0, 0});
  const RunConfig config = lj_run({"fire", {{"timestep", 0.005}, {"force-tolerance", 1e-6}}}, 100);
  System system = build_system(config, structure_of(dimer));
  const RunResult run = run_short(system, config, fp64_method(), 0);
  EXPECT_EQ(run.end, RunEnd::converged);
  EXPECT_EQ(run.steps, 0);
  EXPECT_NEAR(run.last.energies.vdw, -1.0, 1e-12);
}

TEST(Simulation, ZeroStepsAreASinglePoint) {
  const RunConfig config = lj_run(verlet(0.01), 0);
  System system = build_system(config, structure_of(off_centre_ball()));
  const RunResult run = run_short(system, config, fp64_method(), 0);
  EXPECT_EQ(run.end, RunEnd::finished);
  EXPECT_EQ(run.steps, 0);
  EXPECT_LT(run.last.energies.vdw, -100);
  EXPECT_EQ(system.particles.position, off_centre_ball().position);
}

TEST(Simulation, MinimisersStartFromRest) {
  const RunConfig config = lj_run({"descent", {{"factor", 1e-4}}}, 1);
  Structure structure = structure_of(off_centre_ball());
  structure.velocity.assign(structure.position.size(), {3.0, 0, 0});
  System system = build_system(config, structure);
  const RunResult run = run_short(system, config);
  for (const EnergyRow& row : run.rows) {
    EXPECT_EQ(row.energies.kinetic, 0);
    EXPECT_EQ(row.time, 0);
  }
}

/// A whole run with charges, wall, recentring and drawn velocities.
std::vector<Vec3<double>> final_state(std::size_t n, int threads, NeighborMethod neighbor, Precision precision) {
  RunConfig config = lj_run(verlet(0.002), 20);
  config.lennard_jones->treatment = {"force-shift", {{"cutoff", 2.5}}};
  config.coulomb = FormChoice{"smoothed", {{"cutoff", 3.0}}};
  config.wall = FormChoice{"harmonic", {{"radius", 4.0}, {"stiffness", 1.0}}};
  config.recenter = Recenter::mass;
  config.recenter_every = 5;
  config.remove_momentum = RemoveMomentum::both;
  config.temperature = 0.5;
  System system = build_system(config, structure_of(random_droplet(Regime::liquid, n, 5)));
  Method method = fp64_method(threads, neighbor);
  method.precision = precision;
  const RunResult run = run_short(system, config, method, 7);
  auto state = system.particles.position;
  state.insert(state.end(), system.particles.velocity.begin(), system.particles.velocity.end());
  state.insert(state.end(), run.force.begin(), run.force.end());
  state.push_back({run.last.energies.total(), run.last.temperature, 0});
  return state;
}

void expect_same_bytes_for_all_threads(std::size_t n, NeighborMethod neighbor, Precision precision) {
  const auto one = final_state(n, 1, neighbor, precision);
  for (const int threads : {2, 5}) {
    const auto many = final_state(n, threads, neighbor, precision);
    ASSERT_EQ(one.size(), many.size());
    EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size() * sizeof one[0]), 0)
        << word_of(neighbor) << ", " << word_of(precision) << ", " << threads << " threads";
  }
}

TEST(Simulation, SameBytesForEveryNumberOfThreads) {
  for (const NeighborMethod neighbor : {NeighborMethod::all_pairs, NeighborMethod::cells})
    for (const Precision precision : {Precision::mixed, Precision::fp64})
      expect_same_bytes_for_all_threads(400, neighbor, precision);
}

/// So many atoms that loops over atoms and their sums, too, are shared out to threads (core/ordered_sum.h).
TEST(Simulation, SameBytesForEveryNumberOfThreadsWithManyAtoms) {
  expect_same_bytes_for_all_threads(10000, NeighborMethod::cells, Precision::mixed);
}

}  // namespace
}  // namespace dropmd

#include "engine/step_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>

#include "core/errors.h"
#include "core/ordered_sum.h"
#include "engine/centre.h"
#include "engine/methods/catalogue.h"
#include "engine/methods/step_cost.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/force_error.h"
#include "tests/support/processors.h"
#include "tests/support/random_droplets.h"

/// The order of operations within a step, and what a run leaves behind.
namespace dropmd {
namespace {

ChargedAtoms off_centre_ball() { return moved(fcc_ball(8), {5, -3, 1}); }

class SimulationTest : public OnProcessors {
 protected:
  /// Compares with the CPU in double precision. size: Σ|u|
  static void expect_energy(double found, double expected, double size) {
    if (on_cpu()) {
      EXPECT_EQ(found, expected);
    } else {
      EXPECT_NEAR(found, expected, bounds().energy * size);
    }
  }
  static FormChoice fire() { return {"fire", {{"timestep", 0.005}, {"force-tolerance", reachable_force(GetParam())}}}; }
  static void expect_forces(std::span<const Vec3<double>> found, const std::vector<Vec3<double>>& expected) {
    if (on_cpu()) {
      EXPECT_EQ(std::vector<Vec3<double>>(found.begin(), found.end()), expected);
      return;
    }
    ASSERT_EQ(found.size(), expected.size());
    const ForceError error = force_error(found, expected, kContactForce);
    EXPECT_LE(error.rms, bounds().rms_force);
    EXPECT_LE(error.worst, bounds().worst_force);
  }
};
INSTANTIATE_TEST_SUITE_P(Processors, SimulationTest, all_processors(), name_of_processor);

TEST_P(SimulationTest, RowKIsTheStateAfterKMoves) {
  const RunConfig config = lj_run(verlet(0.01), 5);
  System system = build_system(config, structure_of(off_centre_ball()));
  std::vector<std::vector<Vec3<double>>> positions;
  const RunResult run =
      run_short(system, config, method(), 1, [&](const Snapshot& s) { positions.push_back(s.particles.position); });
  ASSERT_EQ(run.rows.size(), 6U);
  EXPECT_EQ(positions[0], off_centre_ball().position);
  for (std::size_t k = 0; k < run.rows.size(); ++k) {
    EXPECT_EQ(run.rows[k].step, static_cast<std::int64_t>(k));
    EXPECT_DOUBLE_EQ(run.rows[k].time, 0.01 * static_cast<double>(k));
    std::vector<Vec3<double>> force(positions[k].size());
    const PairAtoms atoms{system.particles.charge, system.particles.pair_species};
    const double energy = make_pair_forces(fp64_method(), system.model, atoms)
                              ->evaluate(positions[k], force, Want::forces_and_energies)
                              .vdw;
    expect_energy(run.rows[k].energies.of("vdw"), energy, pair_scales(system.model, atoms, positions[k]).vdw);
  }
  EXPECT_EQ(run.rows[0].energies.kinetic, 0);
  EXPECT_GT(run.rows[1].energies.kinetic, 0);
}

TEST_P(SimulationTest, RecentresAtMultiplesOfTheIntervalBeforeTheForces) {
  RunConfig config = lj_run(verlet(0.01), 6);
  config.recenter = Recenter::geometric;
  config.recenter_every = 3;
  config.fields["wall"] = FormChoice{"quartic", {{"radius", 1.0}, {"stiffness", 0.01}}};
  Structure structure = structure_of(off_centre_ball());
  structure.velocity.assign(structure.position.size(), {1.0, 0, 0});
  System system = build_system(config, structure);
  run_short(system, config, method(), 1, [&](const Snapshot& s) {
    const double off = norm(centre_of(Cpu{}, s.particles, Recenter::geometric));
    if (s.step % 3 == 0)
      EXPECT_LT(off, 1e-13) << "step " << s.step;
    else
      EXPECT_GT(off, 1e-3) << "step " << s.step;
    // The wall's energy and forces are those at the recentred positions.
    std::vector<Vec3<double>> force(s.particles.size());
    const auto result =
        ForceField(system, fp64_method()).evaluate({s.particles.position, s.time}, Want::forces_and_energies, force);
    if (on_cpu()) {
      EXPECT_EQ(s.energies->energies.of("wall"), result.energies.of("wall"));
    } else {  // fp64, also in mixed precision
      EXPECT_NEAR(s.energies->energies.of("wall"), result.energies.of("wall"), 1e-12 * result.energies.of("wall"));
    }
    expect_forces(s.force, force);
  });
}

/// A hot ball that does not fill its wall. Moving it relative to the wall changes the energy of the wall, and so the
/// total.
TEST_P(SimulationTest, ConservesTheEnergyBesideAWallUnlessAskedToRecentre) {
  const auto wander = [&](std::optional<Recenter> which) {
    RunConfig config = lj_run(verlet(0.001), 2000);
    config.recenter = which;
    config.recenter_every = 10;
    config.fields["wall"] = FormChoice{"harmonic", {{"radius", 6.0}, {"stiffness", 10.0}}};
    config.temperature = 3.0;
    System system = build_system(config, structure_of(off_centre_ball()));
    const RunResult run = run_short(system, config, method(), 20);
    double least = run.rows[1].energies.total(), most = least;  // without the recentring at the start
    for (std::size_t k = 1; k < run.rows.size(); ++k) {
      least = std::min(least, run.rows[k].energies.total());
      most = std::max(most, run.rows[k].energies.total());
    }
    return most - least;
  };
  const double by_default = wander({}), recentred = wander(Recenter::geometric);
  EXPECT_EQ(by_default, wander(Recenter::none));
  EXPECT_GT(recentred, 20 * by_default) << "the integrator's own error at this step is far less";
}

TEST_P(SimulationTest, IntervalZeroNeverRecentres) {
  RunConfig config = lj_run(verlet(0.01), 2);
  config.recenter = Recenter::geometric;
  System system = build_system(config, structure_of(off_centre_ball()));
  run_short(system, config, method());
  EXPECT_GT(norm(centre_of(Cpu{}, system.particles, Recenter::geometric)), 5.0);
}

TEST_P(SimulationTest, RemovesMomentaAtTheRecentringSteps) {
  RunConfig config = lj_run(verlet(0.005), 4);
  config.recenter_every = 4;
  config.recenter = Recenter::mass;
  config.remove_momentum = RemoveMomentum::both;
  Structure structure = structure_of(off_centre_ball());
  for (const Vec3<double>& x : structure.position) structure.velocity.push_back({0.1 * x.y, 1.0, 0});
  System system = build_system(config, structure);
  const RunResult run = run_short(system, config, method());
  const Particles& p = system.particles;
  const auto sum = [&](const auto& value) { return ordered_sum<Vec3<double>>(Cpu{}, p.size(), value); };
  EXPECT_LT(norm(sum([&](std::size_t i) { return p.velocity[i]; })), 1e-12);
  EXPECT_LT(norm(sum([&](std::size_t i) { return cross(p.position[i], p.velocity[i]); })), 1e-12);
  // The row of that step shows the state after the removal, with 3N − 6 degrees of freedom.
  EXPECT_NEAR(run.last.temperature, 2 * run.last.energies.kinetic / (3.0 * static_cast<double>(p.size()) - 6), 1e-13);
}

/// A GPU run is asked between pieces of the run. The first piece has one step, and each further piece is at most twice
/// as long as the one before. The eighth piece is already running when the run is asked to stop.
TEST_P(SimulationTest, InterruptedBetweenRowsStillKnowsItsEnergies) {
  const RunConfig config = lj_run(verlet(0.01), 1000);
  System system = build_system(config, structure_of(off_centre_ball()));
  int asked = 0;
  const RunResult run = run_short(system, config, method(), 0, nullptr, [&] { return ++asked == 8; });
  EXPECT_EQ(run.end, RunEnd::interrupted);
  EXPECT_GE(run.steps, 7);
  EXPECT_LE(run.steps, on_cpu() ? 7 : 255);
  EXPECT_EQ(run.last.step, run.steps);
  EXPECT_LT(run.last.energies.of("vdw"), -100);
  EXPECT_GT(run.last.energies.kinetic, 0);
}

TEST_P(SimulationTest, InterruptedAtStepZeroStillKnowsItsEnergies) {
  const RunConfig config = lj_run(verlet(0.01), 100);
  System system = build_system(config, structure_of(off_centre_ball()));
  const RunResult run = run_short(system, config, method(), 0, nullptr, [] { return true; });
  EXPECT_EQ(run.end, RunEnd::interrupted);
  EXPECT_EQ(run.steps, 0);
  EXPECT_LT(run.last.energies.of("vdw"), -100) << "energies() is of no step";
}

TEST_P(SimulationTest, ConvergedAtStepZeroStillKnowsItsEnergies) {
  ChargedAtoms dimer;
  dimer.add({0, 0, 0});
  dimer.add({1.122462048309373, 0, 0});
  const RunConfig config = lj_run(fire(), 100);
  System system = build_system(config, structure_of(dimer));
  const RunResult run = run_short(system, config, method(), 0);
  EXPECT_EQ(run.end, RunEnd::converged);
  EXPECT_EQ(run.steps, 0);
  // In mixed precision, 1e-6 of Σ|u|, plus 1e-6 of ε per atom since Σ|u| of so few atoms is small.
  EXPECT_NEAR(run.last.energies.of("vdw"), -1.0, is_mixed() ? bounds().energy * (1 + 2) : 1e-12);
}

/// A GPU run is asked every 20 steps and at the last one.
TEST_P(SimulationTest, MinimisersSayWhetherTheyConverged) {
  constexpr std::int64_t kTooFew = 3;
  for (const std::int64_t steps : {kTooFew, std::int64_t{5000}}) {
    const RunConfig config = lj_run(fire(), steps);
    System system = build_system(config, structure_of(off_centre_ball()));
    const RunResult run = run_short(system, config, method(), 0);
    EXPECT_EQ(run.last.step, run.steps);
    if (steps == kTooFew) {
      EXPECT_EQ(run.end, RunEnd::not_converged);
      EXPECT_EQ(run.steps, kTooFew);
      continue;
    }
    EXPECT_EQ(run.end, RunEnd::converged);
    EXPECT_GT(run.steps, kTooFew);
    EXPECT_EQ(run.steps % (on_cpu() ? 1 : 20), 0);
    for (const Vec3<double>& f : run.force) EXPECT_LT(norm(f), config.integrator.at("force-tolerance"));
  }
}

/// Records the steps that it sees, with and without energies.
class StepList final : public Observer {
 public:
  StepList(std::int64_t interval, bool energies, std::vector<std::int64_t>& seen)
      : interval_(interval), energies_(energies), seen_(seen) {}
  std::int64_t every() const override { return interval_; }
  bool wants_state(std::int64_t) const override { return false; }
  bool wants_energies(std::int64_t step) const override { return energies_ && step % interval_ == 0; }
  void observe(const Snapshot& s) override {
    seen_.push_back(s.step);
    if (!wants_energies(s.step)) return;
    ASSERT_NE(s.energies, nullptr) << "step " << s.step;
    EXPECT_EQ(s.energies->step, s.step);
  }

 private:
  std::int64_t interval_;
  bool energies_;
  std::vector<std::int64_t>& seen_;
};

/// Includes the step in which a GPU sorts the atoms. No step may be seen twice or out of order.
TEST_P(SimulationTest, ObserversSeeTheStepsTheyAskFor) {
  const RunConfig config = lj_run(verlet(0.002), 1100);
  System system = build_system(config, structure_of(off_centre_ball()));
  Timings timings;
  StepLoop simulation(system, config, method(), timings);
  constexpr std::int64_t kIntervals[] = {6, 35, 200};
  std::vector<std::int64_t> seen[3];
  for (std::size_t k = 0; k < 3; ++k)
    simulation.add_observer(std::make_unique<StepList>(kIntervals[k], k != 1, seen[k]));
  EXPECT_EQ(simulation.run(never_stop), RunEnd::finished);
  EXPECT_EQ(simulation.energies().step, config.steps);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_TRUE(std::is_sorted(seen[k].begin(), seen[k].end(), std::less_equal<>{})) << "a step is seen twice";
    for (std::int64_t step = 0; step <= config.steps; step += kIntervals[k])
      EXPECT_TRUE(std::binary_search(seen[k].begin(), seen[k].end(), step)) << "step " << step;
    if (!on_cpu()) {
      EXPECT_LT(seen[k].size(), 500U) << "the GPU waits for the host without need";
    }
  }
}

/// Two atoms meet head-on and fly apart in step 7, between two observed steps.
TEST_P(SimulationTest, NothingIsSeenOfABrokenStep) {
  ChargedAtoms atoms = fcc_ball(8);
  atoms.add({30, 0, 0});
  atoms.add({31.92, 0, 0});
  Structure structure = structure_of(atoms);
  structure.velocity.assign(atoms.size(), {});
  structure.velocity[atoms.size() - 2] = {60, 0, 0};
  structure.velocity[atoms.size() - 1] = {-60, 0, 0};
  const RunConfig config = lj_run(verlet(0.002), 100);
  System system = build_system(config, structure);
  std::vector<std::int64_t> seen;
  std::string message;
  try {
    run_short(
        system, config, method(), 0, [&](const Snapshot& s) { seen.push_back(s.step); }, never_stop, 4);
  } catch (const PhysicsError& error) {
    message = error.what();
  }
  EXPECT_EQ(message.substr(0, message.find(',')), "step 7");
  EXPECT_EQ(seen, (std::vector<std::int64_t>{0, 4}));
}

TEST_P(SimulationTest, ZeroStepsAreASinglePoint) {
  const RunConfig config = lj_run(verlet(0.01), 0);
  System system = build_system(config, structure_of(off_centre_ball()));
  const RunResult run = run_short(system, config, method(), 0);
  EXPECT_EQ(run.end, RunEnd::finished);
  EXPECT_EQ(run.steps, 0);
  EXPECT_LT(run.last.energies.of("vdw"), -100);
  EXPECT_EQ(system.particles.position, off_centre_ball().position);
}

TEST_P(SimulationTest, MinimisersStartFromRest) {
  const RunConfig config = lj_run({"descent", {{"factor", 1e-4}}}, 1);
  Structure structure = structure_of(off_centre_ball());
  structure.velocity.assign(structure.position.size(), {3.0, 0, 0});
  System system = build_system(config, structure);
  const RunResult run = run_short(system, config, method());
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
  config.fields["wall"] = FormChoice{"harmonic", {{"radius", 4.0}, {"stiffness", 1.0}}};
  config.recenter = Recenter::mass;
  config.recenter_every = 5;
  config.remove_momentum = RemoveMomentum::both;
  config.temperature = 0.5;
  System system = build_system(config, structure_of(random_droplet(Regime::liquid, n, 5)));
  Method method = fp64_method(threads, neighbor);
  method.precision = precision;
  method.skin = 0.1;  // short, so that lists are rebuilt during the run
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
  for (const NeighborMethod neighbor :
       {NeighborMethod::all_pairs, NeighborMethod::cells, NeighborMethod::sorted_cells, NeighborMethod::pair_list})
    for (const Precision precision : {Precision::mixed, Precision::fp64})
      expect_same_bytes_for_all_threads(400, neighbor, precision);
}

/// With this many atoms, loops over atoms and their sums are distributed over threads, too (core/ordered_sum.h).
TEST(Simulation, SameBytesForEveryNumberOfThreadsWithManyAtoms) {
  expect_same_bytes_for_all_threads(10000, NeighborMethod::cells, Precision::mixed);
  expect_same_bytes_for_all_threads(10000, NeighborMethod::sorted_cells, Precision::mixed);
  expect_same_bytes_for_all_threads(10000, NeighborMethod::pair_list, Precision::mixed);
}

/// A hot droplet evaporates; most steps use the list of an earlier step. In double precision only the order of sums
/// differs, by 1e-16 per step, which chaos multiplies by some hundreds in 200 steps.
TEST(Simulation, PairListsAndSortedCellsMakeTheRunOfCells) {
  RunConfig config = lj_run(verlet(0.002), 200);
  config.lennard_jones->treatment = {"force-shift", {{"cutoff", 2.5}}};
  config.temperature = 3.0;
  const auto final_energies = [&](NeighborMethod neighbor, double skin) {
    System system = build_system(config, structure_of(random_droplet(Regime::liquid, 400, 6)));
    Method method = fp64_method(1, neighbor);
    method.skin = skin;
    return run_short(system, config, method).last.energies;
  };
  const Energies cells = final_energies(NeighborMethod::cells, 0);
  for (const NeighborMethod neighbor : {NeighborMethod::pair_list, NeighborMethod::sorted_cells})
    for (const double skin : {0.0, 0.1, 0.5}) {
      const Energies list = final_energies(neighbor, skin);
      EXPECT_NEAR(list.of("vdw"), cells.of("vdw"), 1e-9 * std::abs(cells.of("vdw")))
          << word_of(neighbor) << ", " << skin;
      EXPECT_NEAR(list.kinetic, cells.kinetic, 1e-9 * cells.kinetic) << word_of(neighbor) << ", " << skin;
    }
}

/// The faster the atoms move, the wider the skin that balances pairs beyond the cutoff with re-sorting.
TEST(Simulation, TheSkinOfSortedCellsFollowsTheSpeedOfTheAtoms) {
  RunConfig config = lj_run(verlet(0.002), 1);
  config.lennard_jones->treatment = {"cut", {{"cutoff", 2.5}}};
  config.backend = Backend::cpu;
  config.neighbor = NeighborMethod::sorted_cells;
  const auto skin = [&](double temperature) {
    config.temperature = temperature;
    const System system = build_system(config, structure_of(random_droplet(Regime::liquid, 200, 1)));
    const Method method = choose_method(config, system.model, 200);
    EXPECT_EQ(method.neighbor, NeighborMethod::sorted_cells);
    return with_fitting_skin(method, system, config).skin;
  };
  EXPECT_GE(skin(0.1), 0.02 * 2.5);
  EXPECT_GT(skin(10), 1.5 * skin(0.5));
  config.skin = 0.0;
  EXPECT_EQ(skin(1), 0);
}

TEST(Simulation, APairListIsTheChoiceOnTheCpuWhereAllTermsHaveCutoffs) {
  RunConfig config = lj_run(verlet(0.002), 1);
  config.backend = Backend::cpu;
  const auto chosen = [&] {
    return choose_method(config, build_system(config, structure_of(random_droplet(Regime::liquid, 50, 1))).model, 50);
  };
  EXPECT_EQ(chosen().neighbor, NeighborMethod::all_pairs);
  config.lennard_jones->treatment = {"cut", {{"cutoff", 2.5}}};
  EXPECT_EQ(chosen().neighbor, NeighborMethod::pair_list);
  EXPECT_GT(chosen().skin, 0);
  EXPECT_LT(chosen().skin, 0.25);
  config.skin = 0.7;
  EXPECT_EQ(chosen().skin, 0.7);
}

}  // namespace
}  // namespace dropmd

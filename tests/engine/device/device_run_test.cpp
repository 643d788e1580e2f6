#include "engine/device/device_run.h"

#include <gmock/gmock.h>

#include <map>

#include "core/errors.h"
#include "core/ordered_sum.h"
#include "engine/centre.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/device_runs.h"
#include "tests/support/random_droplets.h"

/// Steps made on the GPU, compared with steps made on the CPU with the same run file.
namespace dropmd {
namespace {

INSTANTIATE_TEST_SUITE_P(Ways, DeviceRunTest, all_ways(), name_of_way);

TEST_P(DeviceRunTest, MovesAsTheCpuDoesAtEveryAwkwardSize) {
  for (const std::size_t n : {1U, 2U, 15U, 16U, 17U, 31U, 33U, 63U, 64U, 65U, 127U, 128U, 129U, 255U, 257U, 1000U}) {
    SCOPED_TRACE(n);
    expect_same_run(charged_run(verlet(0.002), 20), moving_atoms(n, static_cast<std::uint32_t>(n)));
  }
}

/// One size on either side of every change in how a small droplet is distributed over the multiprocessors of an H200
/// (132), and of the change to steps of two kernels.
TEST_P(DeviceRunTest, MovesAsTheCpuDoesAroundEveryChangeOfShape) {
  for (const std::size_t n : {528U, 529U, 640U, 641U, 1056U, 1057U, 2112U, 2113U}) {
    SCOPED_TRACE(n);
    expect_same_run(charged_run(verlet(0.002), 5), moving_atoms(n, static_cast<std::uint32_t>(n)));
  }
}

TEST_P(DeviceRunTest, HasEveryIntegrator) {
  const FormChoice integrators[] = {{"descent", {{"factor", 1e-4}}},
                                    {"langevin", {{"timestep", 0.002}, {"temperature", 0.5}, {"friction", 1.0}}},
                                    {"csvr", {{"timestep", 0.002}, {"temperature", 0.5}, {"relaxation", 0.05}}},
                                    {"fire", {{"timestep", 0.002}, {"force-tolerance", 1e-9}}}};
  for (const FormChoice& integrator : integrators) {
    SCOPED_TRACE(integrator.form);
    expect_same_run(charged_run(integrator, 20), moving_atoms(200, 5));
  }
}

/// Cutoffs, two species, masses and a centre of mass, in every kind of step.
TEST_P(DeviceRunTest, KnowsSpeciesMassesAndCutoffs) {
  for (const std::size_t n : {60U, 128U, 250U, 700U, 2300U}) {
    SCOPED_TRACE(n);
    RunConfig config = charged_run({"langevin", {{"timestep", 0.002}, {"temperature", 0.5}, {"friction", 1.0}}}, 12);
    config.lennard_jones =
        LennardJonesConfig{.epsilon = {}, .sigma = {}, .treatment = {"force-shift", {{"cutoff", 2.2}}}};
    config.species.resize(2);
    config.species[0].name = "A";
    config.species[1].name = "B";
    config.species[0].epsilon = 1.0;
    config.species[1].epsilon = 0.5;
    config.species[1].sigma = 0.9;
    config.coulomb = FormChoice{"smoothed", {{"cutoff", 2.5}}};
    config.recenter_every = 5;
    config.recenter = Recenter::mass;
    config.remove_momentum = RemoveMomentum::none;
    Structure structure = moving_atoms(n, 17);
    structure.species_names = {"A", "B"};
    for (std::size_t i = 0; i < n; ++i) {
      structure.species[i] = i % 3 == 0 ? 1 : 0;
      structure.mass.push_back(i % 3 == 0 ? 2.5 : 1.0);
    }
    expect_same_run(config, structure);
  }
}

TEST_P(DeviceRunTest, HasBothWalls) {
  for (const char* form : {"harmonic", "quartic"}) {
    RunConfig config = charged_run(verlet(0.002), 15);
    config.fields["wall"] = FormChoice{form, {{"radius", 2.0}, {"stiffness", 1.0}}};
    expect_same_run(config, moving_atoms(130, 8));
  }
}

TEST_P(DeviceRunTest, RecentresAndRemovesMomentumAtTheirSteps) {
  for (const Recenter which : {Recenter::geometric, Recenter::mass}) {
    RunConfig config = charged_run(verlet(0.002), 12);
    config.recenter_every = 4;
    config.recenter = which;
    config.remove_momentum = RemoveMomentum::linear;
    const Structure structure = moving_atoms(150, 3);
    expect_same_run(config, structure);
    System system = build_system(config, structure);
    std::int64_t seen = 0;
    run_short(system, config, gpu(), 1, [&](const Snapshot& s) {
      if (s.step % 4 != 0) return;
      ++seen;
      EXPECT_LT(norm(centre_of(Cpu{}, s.particles, which)), 1e-13) << "step " << s.step;
      Vec3<double> momentum{};
      for (std::size_t i = 0; i < s.particles.size(); ++i) momentum += s.particles.mass[i] * s.particles.velocity[i];
      EXPECT_LT(norm(momentum), 1e-12) << "step " << s.step;
    });
    EXPECT_EQ(seen, 4);
  }
}

/// Includes systems that have no rotation, or none about their line, persistent steps, and steps of two kernels.
TEST_P(DeviceRunTest, RemovesAngularMomentum) {
  for (const RemoveMomentum which : {RemoveMomentum::angular, RemoveMomentum::both})
    for (const std::size_t n : {1U, 2U, 3U, 100U, 300U, 2500U}) {
      SCOPED_TRACE(n);
      RunConfig config = charged_run(verlet(0.002), 6);
      config.recenter_every = 3;
      config.remove_momentum = which;
      const Structure structure = moving_atoms(n, 4);
      expect_same_run(config, structure);
      System system = build_system(config, structure);
      std::int64_t seen = 0;
      run_short(system, config, gpu(), 1, [&](const Snapshot& s) {
        if (s.step % 3 != 0) return;
        ++seen;
        const Vec3<double> centre = centre_of(Cpu{}, s.particles, Recenter::mass);
        Vec3<double> angular{};
        for (std::size_t i = 0; i < s.particles.size(); ++i)
          angular += s.particles.mass[i] * cross(s.particles.position[i] - centre, s.particles.velocity[i]);
        // The terms are up to 10 (a radius of 7, thermal speeds), with some 10 roundings in each.
        EXPECT_LT(norm(angular), 1e-14 * static_cast<double>(n)) << "step " << s.step;
      });
      EXPECT_EQ(seen, 3);
    }
}

/// The run includes the sorting of the atoms at step 1000 and graphs of steps. The energy of velocity Verlet swings by
/// about (ω dt)²/8 of the vibrational energy: 5e-5 at ω = 20, which is stiff for Lennard-Jones. The test allows twice
/// that, relative to the total.
TEST_P(DeviceRunTest, ConservesEnergyOverThousandsOfSteps) {
  RunConfig config = charged_run(verlet(0.001), 2500);
  config.recenter_every = 100;
  config.recenter = Recenter::geometric;
  config.fields.erase("wall");
  System system = build_system(config, moving_atoms(300, 6));
  const RunResult run = run_short(system, config, gpu(), 250);
  ASSERT_EQ(run.rows.size(), 11U);
  const double start = run.rows[0].energies.total();
  double exchanged = 0;  // energy between potential and kinetic, to compare conservation with
  for (const EnergyRow& row : run.rows) {
    exchanged = std::max(exchanged, std::abs(row.energies.kinetic - run.rows[0].energies.kinetic));
    EXPECT_NEAR(row.energies.total(), start, 1e-4 * std::abs(start)) << "step " << row.step;
  }
  EXPECT_GT(exchanged, 1e-2 * std::abs(start)) << "a run in which nothing happens shows nothing";
}

TEST_P(DeviceRunTest, GivesTheSameBytesWithAnyObservers) {
  const FormChoice integrators[] = {verlet(0.002),
                                    {"langevin", {{"timestep", 0.002}, {"temperature", 0.5}, {"friction", 1.0}}},
                                    {"csvr", {{"timestep", 0.002}, {"temperature", 0.5}, {"relaxation", 0.05}}}};
  for (const FormChoice& integrator : integrators) {
    SCOPED_TRACE(integrator.form);
    RunConfig config = charged_run(integrator, 1210);
    config.recenter_every = 100;
    config.recenter = Recenter::mass;
    const Structure structure = moving_atoms(200, 9);
    std::vector<System> systems(3, build_system(config, structure));
    Timings timings;
    StepLoop(systems[0], config, gpu(), timings).run([] { return false; });  // nobody observes
    run_short(systems[1], config, gpu(), 7);
    run_short(systems[2], config, gpu(), 0);  // every step is observed, without energies
    for (const System& other : systems) {
      EXPECT_TRUE(same_bytes(other.particles.position, systems[0].particles.position));
      EXPECT_TRUE(same_bytes(other.particles.velocity, systems[0].particles.velocity));
    }
  }
}

/// Three sizes: two for persistent steps, one for steps of two kernels in mixed precision; double takes two kernels.
TEST_P(DeviceRunTest, GivesTheSameBytesAfterAHundredThousandSteps) {
  for (const std::size_t n : {128U, 1000U, 2500U}) {
    SCOPED_TRACE(n);
    RunConfig config = charged_run(verlet(0.0005), 100'000);
    config.fields["wall"] = FormChoice{"harmonic", {{"radius", 10.0}, {"stiffness", 2.0}}};
    config.recenter_every = 100;
    config.recenter = Recenter::geometric;
    const Structure structure = moving_atoms(n, 12);
    std::vector<System> systems(2, build_system(config, structure));
    for (System& system : systems) {
      Timings timings;
      StepLoop(system, config, gpu(), timings).run([] { return false; });
    }
    EXPECT_TRUE(same_bytes(systems[1].particles.position, systems[0].particles.position));
    EXPECT_TRUE(same_bytes(systems[1].particles.velocity, systems[0].particles.velocity));
    EXPECT_GT(largest_difference(systems[0].particles.position, structure.position), 0.1);
  }
}

TEST_P(DeviceRunTest, BrokenPhysicsIsReportedInTheWordsOfTheCpu) {
  const auto message = [](const RunConfig& config, const Structure& structure, const Method& method) {
    System system = build_system(config, structure);
    try {
      Timings timings;
      StepLoop(system, config, method, timings).run([] { return false; });
    } catch (const PhysicsError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  // Two atoms meet head-on in step 6 and fly apart.
  Structure structure = moving_atoms(130, 2);
  structure.position.push_back({30, 0, 0});
  structure.position.push_back({31.2, 0, 0});
  for (const double speed : {60.0, -60.0}) structure.velocity.push_back({speed, 0, 0});
  structure.charge.resize(132);
  structure.species.resize(132);
  const RunConfig config = charged_run(verlet(0.002), 500);
  const std::string cpu = message(config, structure, fp64_method());
  const std::string on_gpu = message(config, structure, gpu());
  EXPECT_THAT(cpu, testing::HasSubstr("in one step, more than"));
  EXPECT_EQ(on_gpu.substr(0, on_gpu.find(" at (")), cpu.substr(0, cpu.find(" at (")));
  EXPECT_THAT(on_gpu, testing::HasSubstr("in one step, more than"));
}

/// The steps before a fault are made again from the last observed state. With other lists, and other recentrings in
/// between, they would end elsewhere.
TEST_P(DeviceRunTest, AFaultLeavesTheSameStateWithAnyObservers) {
  Structure structure = moving_atoms(130, 2);
  structure.position.push_back({30, 0, 0});
  structure.position.push_back({54.72, 0, 0});  // they meet after 103 steps
  for (const double speed : {60.0, -60.0}) structure.velocity.push_back({speed, 0, 0});
  structure.charge.resize(132);
  structure.species.resize(132);
  RunConfig config = charged_run(verlet(0.002), 500);
  config.fields.erase("wall");
  config.recenter_every = 20;
  config.recenter = Recenter::geometric;
  std::vector<System> systems(3, build_system(config, structure));
  const std::int64_t intervals[] = {0, 7, 45};
  for (std::size_t k = 0; k < systems.size(); ++k)
    EXPECT_THROW(run_short(systems[k], config, gpu(), intervals[k]), PhysicsError);
  for (const System& other : systems) {
    EXPECT_TRUE(same_bytes(other.particles.position, systems[0].particles.position));
    EXPECT_TRUE(same_bytes(other.particles.velocity, systems[0].particles.velocity));
  }
  EXPECT_GT(largest_difference(systems[0].particles.position, structure.position), 5);
}

TEST_P(DeviceRunTest, StopsWhenAsked) {
  const RunConfig config = charged_run(verlet(0.002), 1'000'000);
  System system = build_system(config, moving_atoms(100, 1));
  int asked = 0;
  const RunResult run = run_short(system, config, gpu(), 50, nullptr, [&] { return ++asked > 10; });
  EXPECT_EQ(run.end, RunEnd::interrupted);
  EXPECT_GT(run.steps, 0);
  EXPECT_LT(run.steps, 1000);
  EXPECT_EQ(run.last.step, run.steps);
}

/// Each observed step is shown while the device makes the next seven. After step 994, these include the sorting of the
/// atoms at step 1000.
TEST_P(DeviceRunTest, ShowsEachStepAsItWasWhileTheNextAreMade) {
  struct Seen {
    std::vector<Vec3<double>> position, velocity, force;
    double potential;
  };
  const FormChoice csvr{"csvr", {{"timestep", 0.002}, {"temperature", 0.5}, {"relaxation", 0.05}}};
  for (const auto& [n, integrator] : {std::pair{100U, verlet(0.002)}, {300U, csvr}, {2500U, verlet(0.002)}}) {
    SCOPED_TRACE(n);
    RunConfig config = charged_run(integrator, 1005);
    config.recenter_every = 10;
    config.recenter = Recenter::geometric;
    const Structure structure = moving_atoms(n, 3);
    std::map<std::int64_t, Seen> seen;
    const auto look = [&](const Snapshot& s) {
      seen[s.step] = {s.particles.position,
                      s.particles.velocity,
                      {s.force.begin(), s.force.end()},
                      s.energies->energies.potential()};
    };
    System watched = build_system(config, structure);
    run_short(watched, config, gpu(), 7, look, never_stop, 7);
    EXPECT_EQ(seen.size(), 144U);
    for (const std::int64_t step : {7, 497, 994, 1001}) {
      SCOPED_TRACE(step);
      ASSERT_TRUE(seen.contains(step));
      RunConfig until = config;
      until.steps = step;
      System alone = build_system(until, structure);
      const RunResult run = run_short(alone, until, gpu(), 0);
      EXPECT_TRUE(same_bytes(seen[step].position, alone.particles.position));
      EXPECT_TRUE(same_bytes(seen[step].velocity, alone.particles.velocity));
      EXPECT_TRUE(same_bytes(seen[step].force, run.force));
      EXPECT_EQ(seen[step].potential, run.last.energies.potential());
    }
  }
}

/// The device is making thousands of steps when the output fails.
TEST_P(DeviceRunTest, AnOutputThatFailsEndsTheRunWhileTheDeviceIsAhead) {
  constexpr std::int64_t kEvery = 1 << 14;
  const RunConfig config = charged_run(verlet(0.0005), 1'000'000);
  System system = build_system(config, moving_atoms(500, 3));
  const auto look = [](const Snapshot& s) {
    if (s.step == kEvery) throw OutputError("no space");
  };
  EXPECT_THROW(run_short(system, config, gpu(), 0, look, never_stop, kEvery), OutputError);
  expect_same_run(charged_run(verlet(0.002), 5), moving_atoms(500, 3));  // the device still works
}

TEST_P(DeviceRunTest, FireFindsTheMinimum) {
  if (GetParam().precision == Precision::mixed) GTEST_SKIP() << "mixed forces are too coarse for this tolerance";
  RunConfig config = plain_run({"fire", {{"timestep", 0.01}, {"force-tolerance", 1e-8}}}, 20'000);
  System system = build_system(config, structure_of(fcc_ball(18)));
  const RunResult run = run_short(system, config, gpu(), 0);
  EXPECT_EQ(run.end, RunEnd::converged);
  System same = build_system(config, structure_of(fcc_ball(18)));
  EXPECT_NEAR(run.last.energies.of("vdw"), run_short(same, config, fp64_method(), 0).last.energies.of("vdw"), 1e-9);
}

}  // namespace
}  // namespace dropmd

#include "tests/support/brute_force_of_run.h"
#include "tests/support/device_runs.h"

/// Steps with lists by the kernel that stays: droplets of more atoms than its all pairs take, up to 48 for every
/// multiprocessor (132 of an H200).
namespace dropmd {
namespace {

class PersistentListTest : public DeviceRunTest {
 protected:
  static System run_alone(const RunConfig& config, const Structure& structure) {
    System system = build_system(config, structure);
    Timings timings;
    Simulation(system, config, gpu(), timings).run([] { return false; });
    return system;
  }
};

INSTANTIATE_TEST_SUITE_P(Way, PersistentListTest, testing::Values(Way{Precision::mixed, NeighborMethod::pair_list}),
                         name_of_way);

/// Sizes on either side of every change in how atoms are dealt out: two kernels a step, one atom more for every warp.
TEST_P(PersistentListTest, MovesAsTheCpuDoesAroundEveryChangeOfShape) {
  for (const std::size_t n : {2112U, 2113U, 4224U, 4225U, 5000U, 6336U, 6337U}) {
    SCOPED_TRACE(n);
    expect_same_run(charged_run(verlet(0.002), 5), moving_atoms(n, static_cast<std::uint32_t>(n)));
  }
}

/// Forces do not depend on the lists' age, nor on what they hold beyond the cutoff.
TEST_P(PersistentListTest, GivesTheSameBytesWithEverySkinAndHoweverItIsWatched) {
  RunConfig config = charged_run({"langevin", {{"timestep", 0.002}, {"temperature", 2.0}, {"friction", 1.0}}}, 730);
  config.recenter_every = 100;
  config.recenter = Recenter::mass;
  const Structure structure = moving_atoms(2'600, 9);
  config.skin = 0.3;
  const System first = run_alone(config, structure);
  EXPECT_GT(largest_difference(first.particles.position, build_system(config, structure).particles.position), 0.5)
      << "lists that are never made anew show nothing";
  for (const double skin : {0.02, 0.11, 1.7}) {
    SCOPED_TRACE(skin);
    config.skin = skin;
    const System other = run_alone(config, structure);
    EXPECT_TRUE(same_bytes(other.particles.position, first.particles.position));
    EXPECT_TRUE(same_bytes(other.particles.velocity, first.particles.velocity));
  }
  System watched = build_system(config, structure);
  run_short(watched, config, gpu(), 7);
  EXPECT_TRUE(same_bytes(watched.particles.position, first.particles.position));
}

/// A hot droplet flies apart: lists are made anew hundreds of times.
TEST_P(PersistentListTest, LosesNoPairOfAnEvaporatingDroplet) {
  RunConfig config = charged_run({"langevin", {{"timestep", 0.002}, {"temperature", 4.0}, {"friction", 0.5}}}, 5'000);
  config.wall.reset();
  config.recenter_every = 130;
  config.recenter = Recenter::geometric;
  System system = build_system(config, moving_atoms(3'000, 22));
  const std::vector<Vec3<double>> start = system.particles.position;
  run_short(
      system, config, gpu(), 1'000, [&](const Snapshot& s) { expect_brute_force(s, system, GetParam().precision); },
      never_stop, 1'000);
  EXPECT_GT(largest_difference(system.particles.position, start), 10);
}

/// All 6,300 atoms are near each other: a multiprocessor has no room for their positions.
TEST_P(PersistentListTest, ServesAtomsThatHaveNoRoom) {
  RunConfig config = charged_run(verlet(0.002), 3);
  config.lennard_jones->treatment = {"force-shift", {{"cutoff", 160}}};
  config.coulomb = FormChoice{"smoothed", {{"cutoff", 160}}};
  config.skin = 0.5;
  const Structure structure = moving_atoms(6'300, 4);
  for (const Vec3<double>& x : structure.position) ASSERT_LT(norm(x), 80);
  expect_same_run(config, structure);
}

TEST_P(PersistentListTest, ReportsBrokenPhysicsInTheWordsOfTheCpu) {
  const RunConfig config = charged_run(verlet(0.002), 40);
  Structure structure = moving_atoms(2'500, 7);
  const auto message = [&](const Method& method) {
    System system = build_system(config, structure);
    Timings timings;
    try {
      Simulation(system, config, method, timings).run([] { return false; });
    } catch (const PhysicsError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  structure.velocity[1'234] = {1e6, 0, 0};
  EXPECT_EQ(message(gpu()), message(fp64_method()));
  EXPECT_NE(message(gpu()), "no error");
}

}  // namespace
}  // namespace dropmd

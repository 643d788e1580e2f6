#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/brute_force_of_run.h"
#include "tests/support/device_runs.h"

/// Runs whose pairs are found by lists of two-atom clusters, here with so few atoms that a run would choose other lists
/// by itself.
namespace dropmd {
namespace {

class TwoAtomRunTest : public DeviceRunTest {
 protected:
  static Method by_two_atom_clusters(double skin = 0.3) {
    Method method = gpu();
    method.skin = skin;
    method.list_form = ListForm::two_atom;
    return method;
  }
  static System run_alone(RunConfig config, const Structure& structure, double skin = 0.3) {
    config.skin = skin;
    System system = build_system(config, structure);
    Timings timings;
    StepLoop(system, config, by_two_atom_clusters(skin), timings).run([] { return false; });
    return system;
  }
};

INSTANTIATE_TEST_SUITE_P(Method, TwoAtomRunTest,
                         testing::Values(DeviceMethod{Precision::mixed, NeighborMethod::pair_list}),
                         name_of_device_method);

TEST_P(TwoAtomRunTest, MovesAsTheCpuDoes) {
  for (const std::size_t n : {1U, 2U, 65U, 257U, 1'000U, 3'001U}) {
    SCOPED_TRACE(n);
    expect_same_run(plain_run(verlet(0.002), 40), moving_atoms(n, static_cast<std::uint32_t>(n)),
                    by_two_atom_clusters());
  }
}

/// The run is sorted and recentred on the way, and one of the two runs is observed.
TEST_P(TwoAtomRunTest, GivesTheSameBytesEveryTime) {
  RunConfig config = plain_run({"langevin", {{"timestep", 0.002}, {"temperature", 2.0}, {"friction", 1.0}}}, 2'300);
  config.recenter_every = 100;
  config.recenter = Recenter::mass;
  const Structure structure = moving_atoms(2'600, 9);
  const System first = run_alone(config, structure);
  EXPECT_GT(largest_difference(first.particles.position, build_system(config, structure).particles.position), 0.5);
  System again = build_system(config, structure);
  config.skin = 0.3;
  run_short(again, config, by_two_atom_clusters(), 50);
  EXPECT_TRUE(same_bytes(again.particles.position, first.particles.position));
  EXPECT_TRUE(same_bytes(again.particles.velocity, first.particles.velocity));
}

/// A hot droplet of two species evaporates for ten thousand steps.
TEST_P(TwoAtomRunTest, LosesNoPairOfAnEvaporatingDroplet) {
  RunConfig config = plain_run({"langevin", {{"timestep", 0.002}, {"temperature", 4.0}, {"friction", 0.5}}}, 10'000);
  config.skin = 0.3;
  config.recenter_every = 130;
  config.recenter = Recenter::geometric;
  Structure structure = moving_atoms(2'000, 22);
  give_two_species(config, structure);
  System system = build_system(config, structure);
  const std::vector<Vec3<double>> start = system.particles.position;
  std::int64_t seen = 0;
  run_short(
      system, config, by_two_atom_clusters(), 500,
      [&](const Snapshot& s) {
        ++seen;
        expect_brute_force(s, system, GetParam().precision);
      },
      never_stop, 500);
  EXPECT_EQ(seen, 21);
  EXPECT_GT(largest_difference(system.particles.position, start), 10);
}

/// Two atoms meet head-on far from all others: the steps before are made again from a saved state.
TEST_P(TwoAtomRunTest, GoesBackToTheStepBeforeAFault) {
  Structure structure = moving_atoms(1'500, 7);
  RunConfig config = plain_run(verlet(0.002), 900);
  add_head_on_pair(structure, 60);
  const auto fault = [&] {
    try {
      run_alone(config, structure);
    } catch (const PhysicsError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const std::string first = fault();
  EXPECT_EQ(first.rfind("step 499, ", 0), 0U) << first;
  EXPECT_EQ(fault(), first);
}

}  // namespace
}  // namespace dropmd

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "device/communicator/nccl.h"
#include "engine/device/device_run.h"
#include "engine/methods/method_parameters.h"
#include "tests/engine/persistent/small_droplet_test.h"
#include "tests/support/seen_run.h"

/// Steps of small droplets by a persistent kernel of two GPUs, compared with those of the host in double precision and
/// with those of one GPU, whose bytes they have.
namespace dropmd {
namespace {

class PersistentPeers : public SmallDropletTest {
 protected:
  void SetUp() override {
    load_all_kernels();
    DeviceRunTest::SetUp();
    if (IsSkipped()) return;
    if (query_devices().devices.size() < 2) GTEST_SKIP() << "there is one GPU";
    const auto run = make_device_run(small_, config_, on_two(), 300);
    if (run->describe_peers().find("publish") == std::string::npos)
      GTEST_SKIP() << "the GPUs are not connected by NVLink: " << run->describe_peers();
  }
  static Method on_two() {
    Method method = gpu();
    const auto devices = query_devices().devices;
    method.device = devices[0].index;
    method.devices = {devices[0].index, devices[1].index};
    return method;
  }

 private:
  const RunConfig config_ = charged_run(verlet(0.002), 1);
  const System small_ = build_system(config_, moving_atoms(100, 1));
};
INSTANTIATE_TEST_SUITE_P(AllPairs, PersistentPeers,
                         testing::Values(DeviceMethod{Precision::mixed, NeighborMethod::all_pairs}),
                         name_of_device_method);

/// On either side of the sizes of tiles, of each kernel and its shapes, and the most atoms (for 132 multiprocessors).
TEST_P(PersistentPeers, MoveAsTheHostDoes) {
  for (const std::size_t n : {64U, 65U, 127U, 128U, 129U, 255U, 256U, 257U, 641U, 1000U, 1057U, 2113U, 4139U}) {
    SCOPED_TRACE(n);
    const Structure structure = moving_atoms(n, static_cast<std::uint32_t>(n));
    for (const FormChoice& integrator : {verlet(0.002), langevin()}) {
      const RunConfig config = charged_run(integrator, 20);
      EXPECT_TRUE(is_persistent(build_system(config, structure), config, on_two()));
      expect_same_run(config, structure, on_two());
    }
  }
}

/// With sorting, recentring, bookings of the thermostat and of the wall, and energies; with fewer atoms than a tile for
/// each GPU, in blocks of every size. A run that began on two GPUs is resumed on one, and the other way round.
TEST_P(PersistentPeers, HaveTheBytesOfOneGpu) {
  for (const std::size_t n :
       {1U, 2U, 33U, 64U, 65U, 129U, 256U, 257U, 528U, 529U, 1000U, 1057U, 1585U, 2113U, 3169U, 4139U}) {
    SCOPED_TRACE(n);
    RunConfig config = charged_run(langevin(), n < 2000 ? 2'400 : 300);
    config.recenter_every = 50;
    config.recenter = Recenter::geometric;
    const System system = build_system(config, moving_atoms(n, 4));
    const std::int64_t half = config.steps / 2 - 100;
    const Seen one = seen_of(system, config, gpu(), half), two = seen_of(system, config, on_two(), half);
    expect_same(two, one);
    ASSERT_TRUE(one.state && two.state);
    expect_same(seen_of(system, config, with_choice(on_two(), one.state->choice), -1, &*one.state), one);
    expect_same(seen_of(system, config, with_choice(gpu(), two.state->choice), -1, &*two.state), one);
  }
}

/// A third of the atoms is far from the others, on one side.
TEST_P(PersistentPeers, HaveTheBytesOfOneGpuForUnevenDroplets) {
  RunConfig config = charged_run(verlet(0.002), 120);
  config.fields.erase("wall");
  const System system = build_system(config, uneven_moving_atoms(900, 5));
  EXPECT_TRUE(is_persistent(system, config, on_two()));
  expect_same(seen_of(system, config, on_two()), seen_of(system, config, gpu()));
}

TEST_P(PersistentPeers, HaveTheBytesOfOneGpuWhereAtomsLeave) {
  RunConfig config = charged_run(langevin(), 330);
  config.fields.clear();
  const System system = build_system(config, moving_atoms(900, 8));
  const auto every_seventh = [](std::int64_t step, double, const System& now) {
    PopulationChange change;
    for (std::size_t i = static_cast<std::size_t>(step) / 40 % 7; i < now.particles.size(); i += 7)
      change.removed.push_back(now.particles.id_of(i));
    return change;
  };
  const auto seen_on = [&](const Method& method) {
    return seen_of(system, config, method, -1, nullptr,
                   [&](StepLoop& loop) { loop.set_population_rule({.every = 40, .change = every_seventh}); });
  };
  const Seen one = seen_on(gpu());
  EXPECT_LT(one.position.size(), 400U);
  expect_same(seen_on(on_two()), one);
}

/// A run file of an ensemble names a share, on which one GPU may perform the steps by another kernel (TileSteps).
TEST_P(PersistentPeers, HaveTheBytesOfOneGpuOnShares) {
  for (const auto& [n, multiprocessors] : {std::pair{200U, 40}, {257U, 4}, {1000U, 4}, {1000U, 40}, {3000U, 60}}) {
    SCOPED_TRACE(std::to_string(n) + " atoms on " + std::to_string(multiprocessors) + " multiprocessors");
    const RunConfig config = charged_run(langevin(), 120);
    const System system = build_system(config, moving_atoms(n, 4));
    Method one = gpu(), two = on_two();
    one.multiprocessors = two.multiprocessors = multiprocessors;
    expect_same(seen_of(system, config, two), seen_of(system, config, one));
  }
}

/// Otherwise runs would have other bytes on several GPUs.
TEST_P(PersistentPeers, DoNotChangeWhichMethodsThereAre) {
  RunConfig config = plain_run(verlet(0.002), 1);
  config.lennard_jones->treatment = {"cut", {{"cutoff", 3.0}}};
  for (const std::size_t n : {500U, 2200U, 3000U, 3800U, 4200U, 5000U}) {
    SCOPED_TRACE(n);
    const System system = build_system(config, moving_atoms(n, 4));
    for (const NeighborMethod neighbor : {NeighborMethod::all_pairs, NeighborMethod::pair_list}) {
      Method one = gpu(), two = on_two();
      one.neighbor = two.neighbor = neighbor;
      one.skin = two.skin = neighbor == NeighborMethod::pair_list ? 0.3 : 0;
      EXPECT_EQ(is_persistent(system, config, two), is_persistent(system, config, one));
      const std::vector<Method> of_one = with_each_parameter(one, system, config),
                                of_two = with_each_parameter(two, system, config);
      ASSERT_EQ(of_two.size(), of_one.size());
      for (std::size_t k = 0; k < of_one.size(); ++k) EXPECT_EQ(of_two[k].list_form, of_one[k].list_form);
    }
  }
}

TEST_P(PersistentPeers, LeaveMoreAtomsToGeneralSteps) {
  const RunConfig config = charged_run(verlet(0.002), 1);
  const System system = build_system(config, moving_atoms(40'000, 1));
  EXPECT_FALSE(is_persistent(system, config, on_two()));
}

/// As on a host whose GPUs cannot access each other's memory.
TEST_P(PersistentPeers, LeaveTheStepsToOneGpuIfTheyAreNotConnected) {
  if (const std::string problem = nccl_problem(); !problem.empty()) GTEST_SKIP() << problem;
  const RunConfig config = charged_run(langevin(), 300);
  const System system = build_system(config, moving_atoms(700, 2));
  const Seen one = seen_of(system, config, gpu());
  ::setenv("DROPMD_NO_PEER_MEMORY", "1", 1);
  const std::string said = make_device_run(system, config, on_two(), 2100)->describe_peers();
  EXPECT_EQ(said.substr(0, said.find(',')), "GPU 0 performs all steps of a droplet this small");
  expect_same(seen_of(system, config, on_two()), one);
  ::unsetenv("DROPMD_NO_PEER_MEMORY");
}

TEST_P(PersistentPeers, StepsAndActionsBetweenThemKeepTheBounds) { expect_bounds_kept(on_two()); }

/// Either GPU may have the atoms of the fault.
TEST_P(PersistentPeers, AFaultIsThatOfOtherSteps) {
  const RunConfig config = plain_run(verlet(0.002), 100);
  for (const double side : {1.0, -1.0}) {
    Structure structure = moving_atoms(300, 6);
    add_head_on_pair(structure, 2.6);  // they meet in step 21
    for (Vec3<double>& x : structure.position) x = side * x;
    for (Vec3<double>& v : structure.velocity) v = side * v;
    const std::string elsewhere = fault_of(config, structure, gpu());
    EXPECT_EQ(elsewhere.rfind("step 2", 0), 0U) << elsewhere;
    EXPECT_EQ(fault_of(config, structure, on_two()).substr(0, 8), elsewhere.substr(0, 8));
  }
}

}  // namespace
}  // namespace dropmd

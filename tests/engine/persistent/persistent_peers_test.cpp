#include "engine/device/device_run.h"
#include "engine/methods/method_parameters.h"
#include "tests/engine/persistent/small_droplet_test.h"
#include "tests/support/seen_run.h"

/// Steps of small droplets by a persistent kernel of two GPUs, beside those of the host in double precision, and beside
/// the same steps again. Their rounding is that of the shape, so their bytes differ from those of one GPU.
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
  for (const std::size_t n : {65U, 127U, 128U, 129U, 255U, 256U, 257U, 641U, 1000U, 1057U, 2113U, 4139U}) {
    SCOPED_TRACE(n);
    const Structure structure = moving_atoms(n, static_cast<std::uint32_t>(n));
    for (const FormChoice& integrator : {verlet(0.002), langevin()}) {
      const RunConfig config = charged_run(integrator, 20);
      EXPECT_TRUE(is_persistent(build_system(config, structure), config, on_two()));
      expect_same_run(config, structure, on_two());
    }
  }
}

/// Fewer atoms than a tile for each GPU, and more than the kernel takes, are performed by general steps.
TEST_P(PersistentPeers, LeaveOtherDropletsToGeneralSteps) {
  for (const std::size_t n : {64U, 40'000U}) {
    const RunConfig config = charged_run(verlet(0.002), 1);
    EXPECT_FALSE(is_persistent(build_system(config, moving_atoms(n, 1)), config, on_two())) << n;
  }
}

TEST_P(PersistentPeers, StepsAndActionsBetweenThemKeepTheBounds) { expect_bounds_kept(on_two()); }

/// With sorting, recentring, bookings of the thermostat and of the wall, and energies.
TEST_P(PersistentPeers, AreTheSameBytesAgainAndResumed) {
  for (const std::size_t n : {200U, 1500U}) {
    SCOPED_TRACE(n);
    RunConfig config = charged_run(langevin(), 2'400);
    config.recenter_every = 50;
    config.recenter = Recenter::geometric;
    const System system = build_system(config, moving_atoms(n, 4));
    const Seen whole = seen_of(system, config, on_two(), 1'100);
    expect_same(seen_of(system, config, on_two()), whole);
    ASSERT_TRUE(whole.state);
    expect_same(seen_of(system, config, with_choice(on_two(), whole.state->choice), -1, &*whole.state), whole);
  }
}

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

/// What the ledger has by atom must be complete on the GPU that is read; otherwise half of the heat would be missing.
/// The trajectories differ by their rounding, in ten times as many steps as kMixedBound is for: hence a hundred times
/// that.
TEST_P(PersistentPeers, BookWhatOneGpuBooks) {
  const RunConfig config = charged_run(langevin(), 200);
  const System system = build_system(config, moving_atoms(600, 2));
  const Seen two = seen_of(system, config, on_two()), one = seen_of(system, config, gpu());
  ASSERT_EQ(two.rows.size(), one.rows.size());
  for (std::size_t k = 0; k < one.rows.size(); ++k) {
    const double bath = one.rows[k].ledger.of(Cause::bath);
    EXPECT_NEAR(two.rows[k].ledger.of(Cause::bath), bath, 100 * kMixedBound * (1 + std::abs(bath))) << one.rows[k].step;
    EXPECT_NEAR(two.rows[k].energies.total(), one.rows[k].energies.total(), 100 * kMixedBound * 600)
        << one.rows[k].step;
  }
  EXPECT_NE(one.rows.back().ledger.of(Cause::bath), 0);
}

}  // namespace
}  // namespace dropmd

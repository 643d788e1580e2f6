#include "engine/device/device_run.h"
#include "engine/methods/method_parameters.h"
#include "engine/persistent/persistent_shape.h"
#include "neighbor/cells/cell_grid.h"
#include "tests/engine/persistent/small_droplet_test.h"
#include "tests/support/state_of.h"

/// Steps of droplets of atoms on a share of the GPU, compared with those of the host in double precision.
namespace dropmd {
namespace {

class TileStepsTest : public SmallDropletTest {
 protected:
  static Method on_share(int multiprocessors) {
    Method method = gpu();
    method.multiprocessors = multiprocessors;
    return method;
  }
  /// The persistent kernel for whole GPUs takes fewer atoms.
  static void expect_tile_steps(const RunConfig& config, const Structure& structure, const Method& method) {
    const System system = build_system(config, structure);
    EXPECT_FALSE(is_persistent(system, config, method));
    EXPECT_TRUE(DeviceRun::may_stay_on_share(system, config, method));
  }
};
INSTANTIATE_TEST_SUITE_P(AllPairs, TileStepsTest,
                         testing::Values(DeviceMethod{Precision::mixed, NeighborMethod::all_pairs}),
                         name_of_device_method);

/// Sizes on either side of those of warps and tiles, and shares with more and fewer warps than there are pairs to do.
TEST_P(TileStepsTest, MoveAsTheHostDoes) {
  for (const std::size_t n : {33U, 63U, 64U, 65U, 127U, 128U, 129U, 255U, 257U, 1000U, 1537U})
    for (const int share : {1, 5}) {
      if (n <= PersistentShape::kMostAtoms * static_cast<std::size_t>(share)) continue;
      SCOPED_TRACE(std::to_string(n) + " atoms on " + std::to_string(share));
      const Structure structure = moving_atoms(n, static_cast<std::uint32_t>(n));
      for (const FormChoice& integrator : {verlet(0.002), langevin()}) {
        const RunConfig config = charged_run(integrator, 20);
        expect_tile_steps(config, structure, on_share(share));
        expect_same_run(config, structure, on_share(share));
      }
    }
}

TEST_P(TileStepsTest, MoveAFewAtomsAsTheHostDoes) {
  for (const std::size_t n : {1U, 2U, 16U}) {
    SCOPED_TRACE(n);
    expect_same_run(charged_run(langevin(), 20), moving_atoms(n, 5), on_share(1));
  }
}

/// Atoms far from all others, some of which are near each other: within the range of positions in tiles, and beyond it.
TEST_P(TileStepsTest, MoveEvaporatedAtomsAsTheHostDoes) {
  RunConfig config = charged_run(langevin(), 20);
  config.fields.clear();  // no wall
  Structure structure = moving_atoms(400, 9);
  structure.position[10] = {45, 30, -20};
  structure.position[11] = {46.2, 30, -20};
  structure.position[12] = {-60, 5, 70};
  structure.position[200] = {700, -900, 300};
  structure.position[201] = {700, -901.2, 300};
  structure.position[202] = {1e5, 0, 0};
  structure.position[203] = {706, -907, 305};
  structure.position[204] = {750, -880, 280};
  expect_same_run(config, structure, on_share(2));
}

/// A chain of atoms, each near the next ones, that has left the droplet: its atoms come last in the order, and some
/// neighbours are in different tiles. Then in a place so far away that tiles hold no positions of its atoms, and all
/// their pairs are computed from those in memory.
TEST_P(TileStepsTest, KeepTheBoundsOfAChainThatHasLeft) {
  RunConfig config = charged_run(langevin(), 20);
  config.fields.clear();
  for (const double distance : {60.0, 700.0, 1e5}) {
    SCOPED_TRACE(distance);
    Structure structure = moving_atoms(400, 12);
    for (std::size_t i = 0; i < 40; ++i)
      structure.position[7 * i] = {1.15 * static_cast<double>(i), 0.2 * static_cast<double>(i % 2), -distance};
    expect_bounds_kept(config, structure, on_share(2));
  }
}

/// A cluster in which the range of integer positions ends, 96 from the anchor: its tiles have atoms on both sides. If
/// those beyond it had positions in fp32, the error of the forces would be 5e-5.
TEST_P(TileStepsTest, KeepTheBoundsOfAClusterAtTheEndOfTheRange) {
  RunConfig config = charged_run(langevin(), 20);
  config.fields.clear();
  Structure structure = moving_atoms(400, 11);
  const Vec3<double> middle = central_anchor(structure.position, 1.0);
  for (Vec3<double>& position : structure.position) position -= middle;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::size_t column = i % 4, row = i / 4 % 4, layer = i / 16;
    structure.position[300 + i] = {94.5 + static_cast<double>(column), static_cast<double>(row),
                                   static_cast<double>(layer)};
  }
  ASSERT_EQ(central_anchor(structure.position, 1.0).x, 0);
  expect_bounds_kept(config, structure, on_share(2));
}

TEST_P(TileStepsTest, MoveSpeciesWithACutoff) {
  RunConfig config = charged_run(verlet(0.002), 20);
  Structure structure = moving_atoms(700, 3);
  give_two_species(config, structure);
  expect_tile_steps(config, structure, on_share(4));
  expect_same_run(config, structure, on_share(4));
  config.coulomb.reset();
  config.lennard_jones->treatment = {"none"};
  expect_same_run(config, structure, on_share(4));
}

/// The kernel that makes steps stores the energies of the last one, whichever launch makes it.
TEST_P(TileStepsTest, StoreTheEnergiesThatAreComputedApart) {
  for (const std::size_t n : {33U, 129U, 1000U}) {
    SCOPED_TRACE(n);
    RunConfig config = charged_run(langevin(), 1'001);
    config.recenter = Recenter::mass;
    config.recenter_every = 7;
    const Structure structure = moving_atoms(n, 10);
    expect_tile_steps(config, structure, on_share(1));
    for (const std::int64_t steps : {1, 7, 1'000, 1'001})  // a launch makes 1,000 at most
      expect_same_energies_apart(build_system(config, structure), config, on_share(1), steps);
  }
}

TEST_P(TileStepsTest, StepsAndActionsBetweenThemKeepTheBounds) { expect_bounds_kept(on_share(3)); }

/// Atoms are sorted at step 2,000, those far from the droplet behind the others; the resumed run begins before.
TEST_P(TileStepsTest, AreTheSameBytesStoppedOrNot) {
  RunConfig config = charged_run(langevin(), 2'400);
  config.fields.clear();
  Structure structure = moving_atoms(500, 4);
  for (std::size_t i = 0; i < 500; i += 100) structure.position[i] = {40.0 + static_cast<double>(i), -20, 30};
  const auto run = [&](System& system, const RunState* from, std::int64_t until) {
    Timings timings;
    StepLoop loop(system, config, on_share(2), timings, nullptr, from);
    loop.add_observer(std::make_unique<StepObserver>(0, 100, [](const Snapshot&) {}));
    loop.run([&] { return loop.step() >= until; });
    return loop.state();
  };
  System whole = build_system(config, structure), again = whole, cut = whole, rest = whole;
  const RunState end = run(whole, nullptr, config.steps), same = run(again, nullptr, config.steps);
  EXPECT_TRUE(same_bytes(end.position, same.position));
  const RunState middle = run(cut, nullptr, 1'100);
  EXPECT_LT(middle.step, config.steps);
  const RunState resumed = run(rest, &middle, config.steps);
  EXPECT_TRUE(same_bytes(end.position, resumed.position));
  EXPECT_TRUE(same_bytes(end.velocity, resumed.velocity));
}

TEST_P(TileStepsTest, AFaultIsThatOfOtherSteps) {
  const RunConfig config = plain_run(verlet(0.002), 100);
  Structure structure = moving_atoms(300, 6);
  add_head_on_pair(structure, 2.6);  // they meet in step 21
  const std::string elsewhere = fault_of(config, structure, gpu());
  EXPECT_EQ(elsewhere.rfind("step 2", 0), 0U) << elsewhere;
  EXPECT_EQ(fault_of(config, structure, on_share(3)).substr(0, 8), elsewhere.substr(0, 8));
}

}  // namespace
}  // namespace dropmd

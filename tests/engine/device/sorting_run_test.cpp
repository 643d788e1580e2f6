#include <algorithm>
#include <vector>

#include "engine/device/device_run.h"
#include "engine/methods/step_cost.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/device_runs.h"
#include "tests/support/fcc_ball.h"

/// Sorting of the atoms in runs on the GPU, at an interval that follows from the atoms alone.
namespace dropmd {
namespace {

class SortingRunTest : public DeviceRunTest {
 protected:
  struct End {
    Particles particles;
    std::vector<Vec3<double>> force;
    ReorderInterval reordering;
    DeviceRun::Progress progress;
  };

  /// A device run without the host's step loop around it.
  class Run {
   public:
    Run(const RunConfig& config, const Structure& structure)
        : config_(config), system_(build_system(config_, structure)), particles_(system_.particles) {
      const Method method = with_fitting_skin(gpu(), system_, config_);
      run_ = make_device_run(system_, config_, method, 3 * system_.particles.size());
    }
    void begin() { run_->upload(particles_, 0); }
    void advance(std::int64_t last) { progress_ = run_->advance(last, false); }
    bool broken() const { return progress_.broken; }
    DeviceRun& device() { return *run_; }
    End end() {
      End end{particles_, std::vector<Vec3<double>>(particles_.size()), run_->reordering(), progress_};
      run_->download(end.particles, end.force);
      return end;
    }

   private:
    RunConfig config_;
    System system_;
    Particles particles_;
    std::unique_ptr<DeviceRun> run_;
    DeviceRun::Progress progress_{};
  };

  static RunConfig bath(double temperature, std::int64_t steps) {
    RunConfig config =
        plain_run({"langevin", {{"timestep", 0.002}, {"temperature", temperature}, {"friction", 1.0}}}, steps);
    config.recenter_every = 100;
    config.recenter = Recenter::geometric;
    return config;
  }

  /// Runs to step `last` in pieces of the given lengths, which repeat.
  static End in_pieces(const RunConfig& config, const Structure& structure, std::int64_t last,
                       const std::vector<std::int64_t>& pieces) {
    Run run(config, structure);
    run.begin();
    std::size_t k = 0;
    for (std::int64_t step = 0; step < last;) {
      step = std::min(last, step + pieces[k++ % pieces.size()]);
      run.advance(step);
      if (run.broken()) break;
    }
    return run.end();
  }

  static void expect_same(const End& a, const End& b) {
    EXPECT_EQ(a.progress.step, b.progress.step);
    EXPECT_EQ(a.progress.broken, b.progress.broken);
    EXPECT_EQ(a.reordering, b.reordering);
    EXPECT_TRUE(same_bytes(a.particles.position, b.particles.position));
    EXPECT_TRUE(same_bytes(a.particles.velocity, b.particles.velocity));
    EXPECT_TRUE(same_bytes(a.force, b.force));
  }
};

INSTANTIATE_TEST_SUITE_P(Methods, SortingRunTest, all_device_methods(), name_of_device_method);

/// A solid ball at a tenth of the melting temperature, and the same atoms as a vapour, which is sorted as often as its
/// size allows. By the rule of ReorderInterval the solid is sorted after 1,000 steps, after four times that, and then
/// every 10,000, so four times; and once more where its slow rotation counts.
TEST_P(SortingRunTest, AHotDropletIsSortedMoreOftenThanAColdOne) {
  constexpr std::int64_t kRunSteps = 30'000;
  Structure structure = structure_of(fcc_ball(24));
  structure.velocity.assign(structure.position.size(), {});
  const End hot = in_pieces(bath(4.0, kRunSteps), structure, kRunSteps, {kRunSteps});
  const End cold = in_pieces(bath(0.05, kRunSteps), structure, kRunSteps, {kRunSteps});
  EXPECT_FALSE(hot.progress.broken);
  EXPECT_FALSE(cold.progress.broken);
  const std::int64_t least =
      sort_bounds(structure.position.size(), searches() ? OrderUse::search : OrderUse::all_pairs).least;
  EXPECT_EQ(hot.reordering.interval, least);
  EXPECT_EQ(hot.reordering.sortings, 1 + (kRunSteps - 1'000) / least);
  EXPECT_GT(cold.reordering.interval, 4 * least);
  EXPECT_GE(cold.reordering.sortings, 4);
  EXPECT_LE(cold.reordering.sortings, 5);
}

/// The atoms are so far apart that they keep their positions, except that all fly along together, by thirty
/// nearest-neighbour distances in a thousand steps. The longest interval follows, as for atoms that do not move at all.
TEST_P(SortingRunTest, ADriftOfAllAtomsDoesNotCount) {
  constexpr std::int64_t kRunSteps = 12'000;
  Structure structure = moving_atoms(300, 5);
  for (Vec3<double>& x : structure.position) x *= 10;
  std::fill(structure.velocity.begin(), structure.velocity.end(), Vec3<double>{15, 0, 0});
  const End end = in_pieces(plain_run(verlet(0.002), kRunSteps), structure, kRunSteps, {kRunSteps});
  EXPECT_GT(norm(end.particles.position[0] - structure.position[0]), 300);
  EXPECT_EQ(end.reordering, (ReorderInterval{.last = 5'000, .interval = 10'000, .next = 15'000, .sortings = 2}));
}

/// Of 400 atoms at rest one is lost, a million away, and flies on by 2,000 in 10,000 steps. The mean displacement over
/// all atoms would be five.
TEST_P(SortingRunTest, AnAtomThatIsLostDoesNotCount) {
  constexpr std::int64_t kRunSteps = 12'000;
  Structure structure = moving_atoms(400, 5);
  for (Vec3<double>& x : structure.position) x *= 10;
  std::fill(structure.velocity.begin(), structure.velocity.end(), Vec3<double>{});
  structure.position[123] = {-1e6, 0, 0};
  structure.velocity[123] = {-100, 0, 0};
  const End end = in_pieces(plain_run(verlet(0.002), kRunSteps), structure, kRunSteps, {kRunSteps});
  EXPECT_LT(end.particles.position[123].x, -1e6 - 2'000);
  EXPECT_EQ(end.reordering, (ReorderInterval{.last = 5'000, .interval = 10'000, .next = 15'000, .sortings = 2}));
}

TEST_P(SortingRunTest, GivesTheSameBytesInPiecesOfAnyLength) {
  for (const std::size_t n : {200U, 2'300U}) {
    SCOPED_TRACE(n);
    const Structure structure = moving_atoms(n, 9);
    const RunConfig config = bath(2.0, 4'000);
    const End whole = in_pieces(config, structure, 4'000, {4'000});
    EXPECT_GE(whole.reordering.sortings, 3) << "sorted too rarely to see anything";
    for (const std::vector<std::int64_t>& pieces :
         {std::vector<std::int64_t>{100}, {999, 1, 1}, {7, 1'500, 93}, {1'000}}) {
      SCOPED_TRACE(pieces[0]);
      expect_same(in_pieces(config, structure, 4'000, pieces), whole);
    }
  }
}

/// Two atoms meet head-on after 2,303 steps, when a hot droplet has been sorted twice. The steps before the fault are
/// made again, from states saved before, between and after the sortings, and so are the sortings.
TEST_P(SortingRunTest, AFaultLeavesTheSameStateAndPaceHoweverPiecesFall) {
  Structure structure = moving_atoms(130, 2);
  for (Vec3<double>& v : structure.velocity) v *= 5;
  structure.position.push_back({30, 0, 0});
  structure.position.push_back({582.72, 0, 0});
  for (const double speed : {60.0, -60.0}) structure.velocity.push_back({speed, 0, 0});
  structure.charge.resize(132);
  structure.species.resize(132);
  RunConfig config = plain_run(verlet(0.002), 5'000);
  config.recenter_every = 20;
  config.recenter = Recenter::geometric;
  const End whole = in_pieces(config, structure, 5'000, {5'000});
  EXPECT_TRUE(whole.progress.broken);
  EXPECT_GT(whole.progress.step, 2'200);
  EXPECT_LT(whole.progress.step, 2'303);
  EXPECT_GE(whole.reordering.sortings, 2);
  EXPECT_LE(whole.reordering.last, whole.progress.step);
  EXPECT_GT(whole.reordering.next, whole.progress.step);
  for (const std::vector<std::int64_t>& pieces : {std::vector<std::int64_t>{1'500}, {45}, {1'000}, {2'000}}) {
    SCOPED_TRACE(pieces[0]);
    expect_same(in_pieces(config, structure, 5'000, pieces), whole);
  }
}

/// As with a checkpoint, a state is restored in the same run, or in another one with the same interval.
TEST_P(SortingRunTest, ContinuesInAnotherRunWithTheSameInterval) {
  const Structure structure = moving_atoms(300, 4);
  const RunConfig config = bath(2.0, 8'000);
  Run first(config, structure), second(config, structure), without_interval(config, structure);
  first.begin();
  first.advance(3'250);
  const End middle = first.end();
  ASSERT_FALSE(middle.progress.broken);
  ReorderInterval reordering = middle.reordering;
  reordering.interval = 2'000;  // the interval of a hot droplet may still be the initial one
  for (Run* const run : {&first, &second}) {
    run->device().set_reordering(reordering);
    run->device().upload(middle.particles, 3'250);
    EXPECT_EQ(run->device().reordering().last, 3'250);
    EXPECT_EQ(run->device().reordering().next, 5'300);
    run->advance(8'000);
  }
  expect_same(second.end(), first.end());
  EXPECT_GT(first.end().reordering.sortings, middle.reordering.sortings);
  without_interval.device().upload(middle.particles, 3'250);
  EXPECT_EQ(without_interval.device().reordering().next, 4'300);
}

}  // namespace
}  // namespace dropmd

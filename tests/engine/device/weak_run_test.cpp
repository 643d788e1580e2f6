#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/brute_force_of_run.h"
#include "tests/support/device_runs.h"

/// Runs on a GPU whose forces change by orders of magnitude: the scale of their sums follows.
namespace dropmd {
namespace {

class WeakRunTest : public DeviceRunTest {
 protected:
  /// A ball of touching charges of one sign, which flies apart to a hundred times its size in 3,000 steps.
  static Structure charged_ball() {
    Structure structure = moving_atoms(1'500, 31);
    for (double& q : structure.charge) q = 3.0;
    return structure;
  }
  static RunConfig explosion(std::int64_t steps) {
    RunConfig config = plain_run(verlet(0.004), steps);
    config.coulomb = searches() ? FormChoice{"shift", {{"cutoff", 400.0}}} : FormChoice{"exact"};
    return config;
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, WeakRunTest,
                         testing::Values(Way{Precision::mixed, NeighborMethod::all_pairs},
                                         Way{Precision::fp64, NeighborMethod::all_pairs},
                                         Way{Precision::mixed, NeighborMethod::pair_list},
                                         Way{Precision::mixed, NeighborMethod::cells},
                                         Way{Precision::mixed, NeighborMethod::sorted_cells}),
                         name_of_way);

TEST_P(WeakRunTest, KeepsTheBoundsWhileABallOfChargesFliesApart) {
  const RunConfig config = explosion(3'000);
  System system = build_system(config, charged_ball());
  const std::vector<Vec3<double>> start = system.particles.position;
  double first = 0, last = 0;
  run_short(
      system, config, gpu(), 500,
      [&](const Snapshot& s) {
        expect_brute_force(s, system, GetParam().precision);
        last = rms_of({s.force.begin(), s.force.end()});
        if (s.step == 0) first = last;
      },
      never_stop, 500);
  EXPECT_LT(last, 1e-2 * first) << "no test of weak forces";
  EXPECT_GT(largest_difference(system.particles.position, start), 100);
}

/// The scale of the state comes from an earlier step; the GPU may be ahead of step 1,500.
TEST_P(WeakRunTest, ResumesToTheSameBytesAtAnotherScale) {
  const RunConfig config = explosion(2'200);
  const auto run = [&](System& system, const RunState* from, std::int64_t until) {
    Timings timings;
    StepLoop loop(system, config, gpu(), timings, nullptr, from);
    loop.add_observer(std::make_unique<StepObserver>(0, 500, [](const Snapshot&) {}));
    loop.run([&] { return loop.step() >= until; });
    return loop.state();
  };
  System whole = build_system(config, charged_ball()), cut = whole, rest = whole;
  const RunState end = run(whole, nullptr, config.steps);
  const RunState state = run(cut, nullptr, 1'500);
  ASSERT_GE(state.step, 1'500);
  ASSERT_LT(state.step, config.steps);
  EXPECT_EQ(run(rest, &state, config.steps).step, end.step);
  EXPECT_TRUE(same_bytes(rest.particles.position, whole.particles.position));
  EXPECT_TRUE(same_bytes(rest.particles.velocity, whole.particles.velocity));
  System begin = build_system(config, charged_ball());
  EXPECT_LT(state.device.force_scale, run(begin, nullptr, 0).device.force_scale) << "the scale stayed";
}

}  // namespace
}  // namespace dropmd

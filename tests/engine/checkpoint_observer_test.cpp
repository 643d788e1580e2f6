#include <gtest/gtest.h>

#include <vector>

#include "engine/observers.h"

/// Which of the observed steps get a checkpoint.
namespace dropmd {
namespace {

/// A run that is observed at all steps up to `last`, one per second. Returns the steps with a checkpoint.
std::vector<std::int64_t> saved(const CheckpointIntervals& intervals, std::int64_t last, double seconds_to_save = 0) {
  double now = 1000;
  std::int64_t step = 0;
  std::vector<std::int64_t> steps;
  const Particles particles;
  CheckpointObserver observer(
      [&] {
        steps.push_back(step);
        now += seconds_to_save;
      },
      intervals, [&] { return now; });
  for (; step <= last; ++step, now += 1) {
    observer.reached(step);
    const bool waits = observer.may_end_run(step);
    now += 0.4;  // steps in between change nothing
    EXPECT_EQ(observer.wants_state(step), waits) << "the state is that of the step that the GPU waits at";
    observer.observe({step, 0, particles, {}, nullptr});
    EXPECT_EQ(!steps.empty() && steps.back() == step, waits);
    now -= 0.4;
  }
  return steps;
}

using Steps = std::vector<std::int64_t>;

TEST(CheckpointObserver, ComesAtStepsAtTimesOrNever) {
  EXPECT_EQ(saved({}, 20), Steps{});
  EXPECT_EQ(saved({.steps = 8}, 20), (Steps{8, 16}));
  EXPECT_EQ(saved({.seconds = 6.4}, 20), (Steps{7, 14}));
}

/// A GPU may go on after steps that are not due; whether they are is asked before it reaches them.
TEST(CheckpointObserver, KnowsStepsThatAreDueInAdvance) {
  const CheckpointObserver observer([] {}, {.steps = 8});
  for (const std::int64_t step : {0, 7, 8, 9, 16}) EXPECT_EQ(observer.wants_state(step), step == 8 || step == 16);
}

TEST(CheckpointObserver, WhicheverComesFirst) {
  EXPECT_EQ(saved({.steps = 10, .seconds = 6.4}, 30), (Steps{7, 10, 17, 20, 27, 30}));
  EXPECT_EQ(saved({.steps = 5, .seconds = 6.4}, 20), (Steps{5, 10, 15, 20}));
}

TEST(CheckpointObserver, TheTimeThatItTakesItselfDoesNotCount) {
  EXPECT_EQ(saved({.seconds = 6.4}, 20, 100), (Steps{7, 14}));
}

TEST(CheckpointObserver, AGpuIsNotStoppedForTimes) {
  EXPECT_EQ(CheckpointObserver([] {}, {.steps = 30, .seconds = 5}).every(), 30);
  EXPECT_GT(CheckpointObserver([] {}, {.seconds = 5}).every(), std::int64_t{1} << 60U);
}

}  // namespace
}  // namespace dropmd

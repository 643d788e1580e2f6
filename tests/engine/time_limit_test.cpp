#include "engine/time_limit.h"

#include <gtest/gtest.h>

/// A run ends within its time limit, including what it still has to do.
namespace dropmd {
namespace {

/// The time at which a run ends whose steps and saves have constant lengths, with a save every `save_every` steps (0:
/// only at the end).
double end_of_run(double limit, double step, double save, int save_every, double guessed_save) {
  double now = 500;
  TimeLimit time_limit(limit, 10, guessed_save, [&] { return now; });  // 10 s were spent on the inputs
  int steps = 0;
  while (!time_limit.reached()) {
    now += step;
    if (save_every == 0 || ++steps % save_every != 0) continue;
    now += save;
    time_limit.saved(save);
  }
  return now + save - 490;
}

TEST(TimeLimit, EndsWithinTheLimitAndUsesMostOfIt) {
  for (const double step : {1e-4, 0.3, 20.0})
    for (const double save : {0.01, 2.0, 100.0}) {
      constexpr double kLimit = 7200;
      const double end = end_of_run(kLimit, step, save, 7, 0.1);
      EXPECT_LT(end, kLimit) << step << ' ' << save;
      // The margin is 60 s, three steps with a save each and two more saves, plus the step that is not begun.
      EXPECT_GT(end, kLimit - 60 - 4 * step - 5 * save - 1e-3) << step << ' ' << save;
    }
}

TEST(TimeLimit, TakesAGuessUntilASaveIsTimed) {
  EXPECT_LT(end_of_run(1000, 1, 40, 0, 40), 1000);
  EXPECT_GT(end_of_run(1000, 1, 0.1, 10, 400), 950) << "the first save corrects it";
}

TEST(TimeLimit, IsReachedAtOnceWhereThereIsNoTime) {
  TimeLimit time_limit(1, 2, 0, [] { return 0.0; });
  EXPECT_TRUE(time_limit.reached());
}

}  // namespace
}  // namespace dropmd

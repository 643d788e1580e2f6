#include <gmock/gmock.h>

#include <set>

#include "tests/support/tuner_world.h"

/// The tuner in runs with invented times, without a clock.
namespace dropmd {
namespace {

using testing::HasSubstr;

/// From any first guess, the tuner comes within 1% of the lowest cost, with steps of a factor of 1.6 in the skin.
TEST(Tuner, FindsTheSkin) {
  for (const double best : {0.1, 0.2, 0.35, 0.5, 0.8, 1.4, 2.0}) {
    SCOPED_TRACE(best);
    World world = liquid(best);
    world.run(task_of(1'000'000), kOnGpu);
    const MethodChoice last = world.choices.back();
    EXPECT_EQ(last.neighbor, NeighborMethod::pair_list);
    EXPECT_LE(list_price(last.skin, best), 1.02 * list_price(best, best));
    EXPECT_LE(world.total, 1.03 * list_price(best, best) * 1e6) << "of the whole run, tuning included";
  }
}

TEST(Tuner, FindsTheMethod) {
  for (const NeighborMethod fastest : {NeighborMethod::all_pairs, NeighborMethod::cells}) {
    World world = liquid(0.5);
    world.seconds = [=](const MethodChoice& choice, std::int64_t) { return choice.neighbor == fastest ? 1e-4 : 4e-4; };
    world.pairs = [](std::int64_t) { return sums(20'000'000, 30'000'000); };
    world.run(task_of(200'000), kOnGpu);
    EXPECT_EQ(world.choices.back().neighbor, fastest);
    EXPECT_EQ(world.choices.back().skin, 0);
    EXPECT_LE(world.total, 1.03 * 1e-4 * 200'000);
  }
}

/// Two methods that use a skin. The second wins by 4%, but not with its first skin.
TEST(Tuner, FindsTheSkinOfEachMethodThatMayWin) {
  World world;
  world.seconds = [](const MethodChoice& choice, std::int64_t) {
    if (choice.neighbor == NeighborMethod::sorted_cells) return 1.21 * list_price(choice.skin, 0.25);
    return list_price(choice.skin, 0.8);
  };
  world.pairs = [](std::int64_t) { return sums(2'000'000, 4'000'000); };
  TunerTask task = task_of(1'000'000);
  task.methods = {{NeighborMethod::pair_list, 0.8}, {NeighborMethod::sorted_cells, 0.6}};
  world.run(task, kOnGpu);
  EXPECT_EQ(world.choices.back().neighbor, NeighborMethod::sorted_cells);
  EXPECT_LE(list_price(world.choices.back().skin, 0.25), 1.02 * list_price(0.25, 0.25));
}

/// Tuning costs a few per cent at most, for any length of the run, compared with the better of the first guess and the
/// best.
TEST(Tuner, CostsAFewPerCentAtMost) {
  for (const double best : {0.15, 0.5, 1.5})
    for (const std::int64_t steps : {10, 1'999, 2'000, 5'000, 20'000, 100'000, 2'000'000})
      for (const TunerPolicy& policy : {kOnCpu, kOnGpu}) {
        World world = liquid(best);
        world.run(task_of(steps), policy);
        const double guess = list_price(0.5, best) * static_cast<double>(steps);
        EXPECT_LE(world.total, 1.05 * guess) << best << ", " << steps << " steps";
      }
}

/// So that their results do not depend on clocks.
TEST(Tuner, LeavesShortRunsAlone) {
  World world = liquid(2.0);
  world.run(task_of(1'999), kOnCpu);
  EXPECT_EQ(world.choices.size(), 1U);
  EXPECT_TRUE(world.log.empty());
  EXPECT_EQ(world.pairs_asked, 0);
}

TEST(Tuner, LeavesRunsOfShortStepsAlone) {
  World world = liquid(2.0);
  world.seconds = [](const MethodChoice&, std::int64_t) { return 1e-6; };
  world.run(task_of(200'000), kOnGpu);
  EXPECT_EQ(world.choices.size(), 1U);
  ASSERT_EQ(world.log.size(), 1U);
  EXPECT_THAT(world.log[0], HasSubstr("is too short for it"));
}

/// With a million atoms, one step by all pairs would take minutes.
TEST(Tuner, DoesNotTryAllPairsOfManyAtoms) {
  World world = liquid(0.5);
  world.pairs = [](std::int64_t) { return sums(500'000'000, 900'000'000); };
  world.run(task_of(100'000, 1'000'000), kOnCpu);
  EXPECT_FALSE(world.tried(NeighborMethod::all_pairs));
  EXPECT_TRUE(world.tried(NeighborMethod::cells));
}

/// In a droplet whose atoms are all within the list cutoff of each other, a list examines as many pairs.
TEST(Tuner, TriesAllPairsWhereAListExaminesAsMany) {
  World world = liquid(0.5);
  world.pairs = [](std::int64_t) { return sums(30'000'000, 45'000'000); };
  world.run(task_of(100'000, 10'000), kOnCpu);
  EXPECT_TRUE(world.tried(NeighborMethod::all_pairs));
}

TEST(Tuner, DropsWhatIsFarTooSlow) {
  World world = liquid(0.5);
  std::int64_t slow_steps = 0;
  world.seconds = [&](const MethodChoice& choice, std::int64_t) {
    slow_steps += choice.neighbor == NeighborMethod::cells;
    return choice.neighbor == NeighborMethod::cells ? 4e-3 : list_price(0.5, 0.5);
  };
  TunerTask task = task_of(100'000);
  task.methods = {{NeighborMethod::pair_list, 0.5}, {NeighborMethod::cells, 0}};
  world.run(task, kOnCpu);
  EXPECT_EQ(slow_steps, kOnCpu.warm_steps + kOnCpu.screen_steps);
}

/// The droplet evaporates: it has half the pairs, atoms that fly far, and another best skin.
TEST(Tuner, TriesAgainWhenTheDropletHasChanged) {
  constexpr std::int64_t kHalf = 300'000;
  World world = liquid(0.5);
  world.seconds = [](const MethodChoice& choice, std::int64_t step) {
    return choice.neighbor == NeighborMethod::pair_list ? list_price(choice.skin, step < kHalf ? 0.5 : 1.6) : 5e-3;
  };
  world.pairs = [](std::int64_t step) {
    return step < kHalf ? sums(2'000'000, 4'000'000) : sums(1'000'000, 2'000'000);
  };
  world.run(task_of(600'000), kOnGpu);
  ASSERT_GE(world.log.size(), 2U);
  EXPECT_TRUE(std::any_of(world.log.begin(), world.log.end(), [](const std::string& text) {
    return text.find("pairs within the cutoff fell by 50%") != std::string::npos;
  }));
  EXPECT_LE(list_price(world.choices.back().skin, 1.6), 1.02 * list_price(1.6, 1.6));
  const double best = 300'000 * (list_price(0.5, 0.5) + list_price(1.6, 1.6));
  EXPECT_LE(world.total, 1.03 * best);
}

/// Some changes do not show in the number of pairs, such as atoms that become faster. The tuner notices them when it
/// tries again later, at intervals that double.
TEST(Tuner, TriesAgainAfterAWhile) {
  World world = liquid(0.5);
  world.run(task_of(4'000'000), kOnGpu);
  EXPECT_GE(world.log.size(), 3U);
  EXPECT_LE(world.log.size(), 12U);
  std::size_t later = 0;
  for (const std::string& text : world.log) later += text.find(" steps later") != std::string::npos;
  EXPECT_EQ(later, world.log.size() - 1);
}

TEST(Tuner, KeepsAGivenSkin) {
  World world = liquid(2.0);
  world.run(only_methods(task_of(100'000)), kOnCpu);
  EXPECT_TRUE(world.tried(NeighborMethod::cells));
  for (const MethodChoice& choice : world.choices)
    EXPECT_EQ(choice.skin, choice.neighbor == NeighborMethod::pair_list ? 0.5 : 0);
}

TEST(Tuner, KeepsAGivenMethod) {
  World world = liquid(2.0);
  TunerTask task = task_of(100'000);
  task.methods = {{NeighborMethod::pair_list, 0.5}};
  world.run(task, kOnCpu);
  EXPECT_GT(world.choices.size(), 2U);
  for (const MethodChoice& choice : world.choices) EXPECT_EQ(choice.neighbor, NeighborMethod::pair_list);
}

TEST(Tuner, StaysWithinTheLimitsOfTheSkin) {
  for (const double best : {0.001, 50.0}) {
    World world = liquid(best);
    TunerTask task = task_of(1'000'000);
    task.shortest_skin = 0.3;
    task.longest_skin = 0.9;
    world.run(task, kOnGpu);
    for (const MethodChoice& choice : world.choices) {
      if (choice.neighbor != NeighborMethod::pair_list) continue;
      EXPECT_GE(choice.skin, 0.3);
      EXPECT_LE(choice.skin, 0.9);
    }
  }
}

/// Where the candidates are equally fast, the tuner changes nothing.
TEST(Tuner, KeepsTheGuessWhereNothingIsFaster) {
  World world = liquid(0.5);
  world.seconds = [](const MethodChoice&, std::int64_t) { return 1e-3; };
  world.run(task_of(20'000), kOnGpu);
  EXPECT_GT(world.choices.size(), 1U);
  EXPECT_EQ(world.choices.back().neighbor, NeighborMethod::pair_list);
  EXPECT_EQ(world.choices.back().skin, 0.5);
}

/// Every fifth group of steps takes twice as long, as if another program were running.
TEST(Tuner, OtherLoadDoesNotDecide) {
  for (int shift = 0; shift < 10; ++shift) {
    World world = liquid(0.5);
    world.seconds = [=](const MethodChoice& choice, std::int64_t step) {
      const double load = (step / 97 + shift) % 5 == 0 ? 2 : 1;
      return load * (choice.neighbor == NeighborMethod::pair_list ? list_price(choice.skin, 1.1) : 3e-3);
    };
    world.run(task_of(150'000), kOnCpu);
    EXPECT_LE(list_price(world.choices.back().skin, 1.1), 1.03 * list_price(1.1, 1.1)) << shift;
  }
}

TEST(Tuner, SaysWhatItChoseAndWhy) {
  World world = liquid(0.5);
  world.run(task_of(100'000), kOnGpu);
  ASSERT_GE(world.log.size(), 1U);
  EXPECT_THAT(world.log[0],
              testing::StartsWith("pair-list with a skin of 0.5 A, 1255 us a step (timed at the start); tried: "));
  EXPECT_THAT(world.log[0], HasSubstr("cells: 2500"));
  EXPECT_THAT(world.log[0], HasSubstr("pair-list with a skin of 0.8 A: "));
}

TEST(Tuner, AClockThatStandsStillIsNoHarm) {
  World world = liquid(0.5);
  world.seconds = [](const MethodChoice&, std::int64_t) { return 0.0; };
  world.switch_seconds = 0;
  world.run(task_of(100'000), kOnGpu);
  EXPECT_GE(world.choices.size(), 1U);
}

TEST(Tuner, TakesTurnsWhereItIsForcedTo) {
  World world = liquid(0.5);
  TunerPolicy policy = kOnCpu;
  policy.switch_every = 3;
  world.run(task_of(60), policy);
  EXPECT_EQ(world.choices.size(), 20U);
  std::set<std::pair<NeighborMethod, double>> tried;
  for (std::size_t k = 0; k < world.choices.size(); ++k) {
    EXPECT_EQ(world.choices[k].step, 3 * static_cast<std::int64_t>(k));
    tried.insert({world.choices[k].neighbor, world.choices[k].skin});
  }
  EXPECT_EQ(tried.size(), 5U) << "all pairs, cells, and lists with three skins";
}

/// A method that the run cannot use is tried once, and the tuning continues without it.
TEST(Tuner, LeavesOutWhatIsRefused) {
  World world;
  world.seconds = [](const MethodChoice& choice, std::int64_t) {
    return choice.neighbor == NeighborMethod::cells ? 1e-4 : 2e-4;
  };
  world.pairs = [](std::int64_t) { return PairSums{0, 0, 1'000, 5'000}; };
  int refusals = 0;
  world.refused = [&](const MethodChoice& choice) {
    if (choice.neighbor != NeighborMethod::all_pairs) return false;
    ++refusals;
    return true;
  };
  TunerTask task = task_of(100'000, 100);  // so few atoms that all pairs are worth trying
  world.run(task, {});
  EXPECT_EQ(refusals, 1);
  EXPECT_EQ(world.choices.back().neighbor, NeighborMethod::cells);
  EXPECT_TRUE(std::any_of(world.log.begin(), world.log.end(),
                          [](const std::string& text) { return text.find("all-pairs is left out") == 0; }));
}

}  // namespace
}  // namespace dropmd

#include "engine/methods/method_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forces/pair/brute_force.h"
#include "inputs/run_file/run_config.h"
#include "tests/support/device_runs.h"
#include "tests/support/random_droplets.h"

/// What the cost model chooses, and when the run asks it.
namespace dropmd {
namespace {

using testing::HasSubstr;

RunConfig cut_run(double temperature) {
  RunConfig config = lj_run(FormChoice{"velocity-verlet", {{"timestep", 0.005}}}, 100'000);
  config.lennard_jones->treatment = {"cut", {{"cutoff", 2.5}}};
  config.temperature = temperature;
  config.backend = Backend::cpu;
  return config;
}

System liquid_system(const RunConfig& config, std::size_t n_atoms = 600) {
  return build_system(config, structure_of(random_droplet(Regime::liquid, n_atoms, 11)));
}

TEST(MethodRule, LooksAtStepsThatAreFixedInAdvance) {
  std::vector<std::int64_t> looks;
  for (std::int64_t step = 0; step < 30'000; step = looks.back()) looks.push_back(MethodRule::look_after(step));
  EXPECT_THAT(looks, testing::ElementsAre(100, 1'000, 10'000, 20'000, 30'000));
  EXPECT_EQ(MethodRule::look_after(999), 1'000);
  EXPECT_EQ(MethodRule::look_after(12'345), 20'000) << "whatever step a run was resumed at";
}

TEST(MethodRule, ChoosesAListWithASkinThatFollowsTheSpeedOfTheAtoms) {
  const auto skin = [](double temperature) {
    const RunConfig config = cut_run(temperature);
    const Method method = choose_by_rule(config, liquid_system(config));
    EXPECT_EQ(method.neighbor, NeighborMethod::pair_list);
    return method.skin;
  };
  EXPECT_GT(skin(1), 1.5 * skin(0.05));
  EXPECT_GE(skin(0.01), 0.02 * 2.5);
  EXPECT_LE(skin(1000), 0.3 * 2.5);
}

TEST(MethodRule, DoesNotDependOnThreads) {
  RunConfig config = cut_run(0.7);
  config.threads = 1;
  const Method one = choose_by_rule(config, liquid_system(config));
  config.threads = 3;
  EXPECT_EQ(choice_of(choose_by_rule(config, liquid_system(config)), 0), choice_of(one, 0));
}

/// Every evaluation needs a new search. With some 200 neighbours, sorting is 1.3 times cheaper than building a list
/// (docs/experiments.md); with some 27 it is not.
TEST(MethodRule, SortsCellsWhereNothingMayBeKept) {
  RunConfig config = cut_run(0.7);
  config.lennard_jones->treatment = {"cut", {{"cutoff", 5.0}}};
  config.skin = 0.0;
  EXPECT_EQ(choose_by_rule(config, liquid_system(config, 3'000)).neighbor, NeighborMethod::sorted_cells);
  config.lennard_jones->treatment = {"cut", {{"cutoff", 2.5}}};
  EXPECT_EQ(choose_by_rule(config, liquid_system(config, 3'000)).neighbor, NeighborMethod::pair_list);
}

TEST(MethodRule, IsNotNeededWhereNothingIsOpen) {
  RunConfig config = cut_run(0.7);
  const System system = liquid_system(config);
  const auto needed = [&] { return MethodRule::is_needed(config, choose_by_rule(config, system), system); };
  EXPECT_TRUE(needed());
  config.neighbor = NeighborMethod::pair_list;
  EXPECT_TRUE(needed()) << "the skin";
  config.skin = 0.3;
  EXPECT_FALSE(needed());
  config.neighbor = NeighborMethod::cells;
  config.skin.reset();
  EXPECT_FALSE(needed()) << "cells on a CPU keep nothing";
}

/// Counting around a sample of the atoms comes close to the number of pairs.
TEST(MethodRule, CountsPairsAtTheStart) {
  for (const std::size_t n : {2U, 100U, 4'000U}) {
    const RunConfig config = cut_run(0.7);
    const System system = liquid_system(config, n);
    std::vector<Vec3<double>> force(n);
    const auto brute_force =
        make_brute_force(Cpu{}, system.model, {system.particles.charge, system.particles.pair_species});
    const PairSums sums = brute_force->evaluate(system.particles.position, force, Want::forces_and_energies);
    const auto exact = static_cast<double>(sums.pairs_within_cutoff);
    // Up to 256 atoms, all are counted. Of more atoms it takes a sample, whose mean is within 5% at about 50 neighbours
    // per atom.
    EXPECT_NEAR(workload_at_start(system, config, Cpu{2}).pairs, exact, n <= 256 ? 0 : 0.05 * exact) << n;
  }
}

/// A method source, asked as a simulation asks it.
class Asked {
  RunConfig config_;
  System system_;
  Method start_;
  MethodRule rule_;

 public:
  explicit Asked(const RunConfig& config)
      : config_(config),
        system_(liquid_system(config_)),
        start_(choose_by_rule(config_, system_)),
        rule_(config_, start_, system_,
              [this](std::int64_t, const std::string& text, const std::string&) { said.push_back(text); }),
        in_use(choice_of(start_, 0)) {}

  MethodRequest at(std::int64_t step, double fastest, double seconds_per_step = 0, bool refused = false) {
    StepReport report{.step = step, .in_use = in_use, .refused = refused};
    report.in_use.step = step;
    if (seconds_per_step > 0) report.steps = 100, report.seconds = 100 * seconds_per_step;
    return rule_.next(report, [&] { return StepSums{{0, 0, 15'000, 30'000}, fastest}; });
  }
  MethodChoice in_use;
  std::vector<std::string> said;
};

TEST(MethodRule, ChangesTheSkinOnlyAtALook) {
  Asked asked(cut_run(0.01));
  constexpr double kHot = 10;  // sigma/tau: T = 5
  EXPECT_EQ(asked.at(99, kHot).choice.skin, asked.in_use.skin) << "no look: a run that was resumed there";
  const MethodRequest request = asked.at(100, kHot);
  EXPECT_GT(request.choice.skin, 2 * asked.in_use.skin);
  EXPECT_EQ(request.choice.step, 100);
  EXPECT_EQ(request.until, 1'000);
  ASSERT_EQ(asked.said.size(), 1U);
  EXPECT_THAT(asked.said[0], HasSubstr("sigma instead of pair-list with a skin of 0.162 sigma"));
  EXPECT_EQ(asked.at(100, kHot, 0, true).choice.skin, asked.in_use.skin) << "refused: as before";
  asked.in_use = request.choice;
  EXPECT_EQ(asked.at(1'000, 1.1 * kHot).choice.skin, asked.in_use.skin) << "too little to gain";
}

TEST(MethodRule, TellsALongRunOfTheTunerOnce) {
  Asked shorter(cut_run(0.7)), longer(cut_run(0.7));
  shorter.at(100, 4, 0.01);  // a quarter of an hour
  EXPECT_TRUE(shorter.said.empty());
  for (const std::int64_t step : {100, 1'000}) longer.at(step, 4, 0.1);
  ASSERT_EQ(longer.said.size(), 1U);
  EXPECT_THAT(longer.said[0], HasSubstr("about 2.8 h are left; tune = true in [neighbor]"));
}

}  // namespace
}  // namespace dropmd

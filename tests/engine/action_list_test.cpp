#include "engine/actions/action_list.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "engine/centre.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/short_run.h"

/// The actions that a run takes at intervals, their order, and the steps at which they are due.
namespace dropmd {
namespace {

std::string name_of(const Recentring&) { return "recentring"; }
std::string name_of(const Sorting&) { return "sorting"; }
std::string name_of(const ForceScaling&) { return "scaling"; }
std::string name_of(const MomentumRemoval&) { return "momentum"; }

std::vector<std::string> due(const ActionList& actions, std::int64_t step) {
  std::vector<std::string> names;
  actions.for_each_due(step, [&](const auto& action) { names.push_back(name_of(action)); });
  return names;
}
std::vector<std::string> due(const ActionList& actions, StepStage stage, std::int64_t step) {
  std::vector<std::string> names;
  actions.for_each_due(stage, step, [&](const auto& action) { names.push_back(name_of(action)); });
  return names;
}

std::int64_t next_due(const ActionList& actions, std::int64_t after) {
  return actions.next_due(after, [](const Action&) { return true; });
}

class ActionListTest : public testing::Test {
 protected:
  using Names = std::vector<std::string>;
  ActionListTest() {
    config_.recenter_every = 30;
    config_.recenter = Recenter::mass;
    config_.remove_momentum = RemoveMomentum::both;
  }
  System system() const { return build_system(config_, structure_of(fcc_ball(13))); }

  RunConfig config_ = lj_run(verlet(0.001), 100);
};

TEST_F(ActionListTest, NamesWhatIsDueInTheOrderOfAStep) {
  const ReorderInterval reordering{.last = 0, .interval = 60, .next = 60, .sortings = 0};
  const System droplet = system();
  const ActionList actions = actions_of(config_, droplet, &reordering);
  const Names both{"recentring", "momentum"}, all{"recentring", "sorting", "scaling", "momentum"};
  EXPECT_EQ(due(actions, 0), both);
  EXPECT_EQ(due(actions, 30), both);
  EXPECT_EQ(due(actions, 60), all);
  for (const std::int64_t step : {1, 29, 31, 59, 61}) EXPECT_EQ(due(actions, step), Names()) << step;
  EXPECT_EQ(due(actions, StepStage::moved, 60), (Names{"recentring", "sorting", "scaling"}));
  EXPECT_EQ(due(actions, StepStage::finished, 60), Names{"momentum"});
}

TEST_F(ActionListTest, KnowsTheNextStepAtWhichSomethingIsDue) {
  const ReorderInterval reordering{.last = 0, .interval = 100, .next = 100, .sortings = 0};
  const System droplet = system();
  const ActionList actions = actions_of(config_, droplet, &reordering);
  for (std::int64_t step = 0; step < 200; ++step) {
    std::int64_t expected = step + 1;
    while (due(actions, expected).empty()) ++expected;
    EXPECT_EQ(next_due(actions, step), expected) << "after step " << step;
  }
  const auto sorts = [](const Action& action) { return std::holds_alternative<Sorting>(action); };
  EXPECT_EQ(actions.next_due(30, sorts), 100);
  EXPECT_EQ(actions.next_due(100, sorts), kNeverDue);
}

/// A GPU sorts at an interval that changes during the run.
TEST_F(ActionListTest, SortingFollowsThePace) {
  config_.recenter_every = 0;
  ReorderInterval reordering{.last = 0, .interval = 100, .next = 100, .sortings = 0};
  const System droplet = system();
  const ActionList actions = actions_of(config_, droplet, &reordering);
  const Names sorting{"sorting", "scaling"};
  EXPECT_EQ(due(actions, 100), sorting);
  reordering.sorted(1.0, {.least = 100, .most = 1000});
  EXPECT_EQ(due(actions, 101), Names());
  EXPECT_EQ(due(actions, reordering.next), sorting);
  EXPECT_EQ(next_due(actions, 101), 200) << "the scale of the forces";
  const auto sorts = [](const Action& action) { return std::holds_alternative<Sorting>(action); };
  EXPECT_EQ(actions.next_due(100, sorts), reordering.next);
  EXPECT_EQ(actions.next_due(reordering.next, sorts), kNeverDue) << "the interval does not say more yet";
}

/// The scale of force sums is checked with every sorting, and also at steps that double.
TEST_F(ActionListTest, ForceScalingIsDueAtStepsThatDouble) {
  config_.recenter_every = 0;
  const ReorderInterval reordering{.last = 0, .interval = 100'000, .next = 100'000, .sortings = 0};
  const System droplet = system();
  const ActionList actions = actions_of(config_, droplet, &reordering);
  std::vector<std::int64_t> found;
  for (std::int64_t step = 0; step <= 2000; ++step)
    if (due(actions, step) == Names{"scaling"}) found.push_back(step);
  EXPECT_EQ(found, (std::vector<std::int64_t>{100, 200, 400, 800, 1600}));
  for (const auto& [after, next] : {std::pair{0, 100}, {99, 100}, {100, 200}, {250, 400}, {399, 400}, {400, 800}})
    EXPECT_EQ(next_due(actions, after), next) << "after step " << after;
  EXPECT_EQ(next_due(actions, 70'000), 100'000) << "sorting";
}

TEST_F(ActionListTest, HasNoMoreThanTheSettingsAsk) {
  const System droplet = system();
  EXPECT_EQ(due(actions_of(config_, droplet), 60), (Names{"recentring", "momentum"})) << "no GPU, nothing to sort";
  config_.remove_momentum = RemoveMomentum::none;
  EXPECT_EQ(actions_of(config_, droplet).find<MomentumRemoval>(), nullptr);
  config_.remove_momentum = RemoveMomentum::linear;
  config_.recenter_every = 0;
  EXPECT_EQ(due(actions_of(config_, droplet), 0), Names()) << "never";
}

/// Beside a wall the atoms keep their position unless the run asks for a centre.
TEST_F(ActionListTest, RecentringKnowsWhatItsTermsAllow) {
  config_.fields["wall"] = FormChoice{"harmonic", {{"radius", 3.0}, {"stiffness", 2.0}}};
  config_.recenter.reset();
  EXPECT_EQ(actions_of(config_, system()).find<Recentring>()->which, Recenter::none);
  config_.recenter = Recenter::geometric;
  EXPECT_EQ(actions_of(config_, system()).find<Recentring>()->which, Recenter::geometric);
  config_.fields.clear();
  config_.recenter.reset();
  EXPECT_EQ(actions_of(config_, system()).find<Recentring>()->which, Recenter::geometric);
}

/// A step is complete only after its actions. The atoms drift in a field, so that no other step is centred or at rest.
TEST_F(ActionListTest, AStepIsSeenAfterItsActions) {
  config_.recenter_every = 4;
  config_.remove_momentum = RemoveMomentum::linear;
  config_.steps = 12;
  FormChoice field{"uniform", {{"frequency", 0.0}}};
  field.set_vector("strength", {5, 0, 0});
  config_.fields["field"] = field;
  Structure structure = structure_of(fcc_ball(13));
  structure.charge.assign(structure.position.size(), 1.0);  // only the field acts on it: the run has no Coulomb forces
  System droplet = build_system(config_, structure);
  std::set<std::int64_t> centred, at_rest;
  run_short(droplet, config_, fp64_method(), 1, [&](const Snapshot& s) {
    Vec3<double> momentum{};
    for (std::size_t i = 0; i < s.particles.size(); ++i) momentum += s.particles.mass[i] * s.particles.velocity[i];
    if (norm(momentum) < 1e-12) at_rest.insert(s.step);
    if (norm(centre_of(Cpu{}, s.particles, Recenter::mass)) < 1e-13) centred.insert(s.step);
  });
  EXPECT_EQ(centred, (std::set<std::int64_t>{0, 4, 8, 12}));
  EXPECT_EQ(at_rest, (std::set<std::int64_t>{0, 4, 8, 12}));
}

}  // namespace
}  // namespace dropmd

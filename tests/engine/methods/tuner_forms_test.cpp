#include <gmock/gmock.h>

#include <set>

#include "tests/support/tuner_world.h"

/// The tuner where cells can have several edges and lists several forms.
namespace dropmd {
namespace {

using testing::HasSubstr;

/// Cells with the edge of the rule are slower than the list, by 10%; cells with one of the other edges are faster.
TEST(TunerForms, FindsTheEdge) {
  for (const double fastest : {0.5, 1.0, 1.0 / 3}) {
    SCOPED_TRACE(fastest);
    World world = liquid(0.5);
    world.seconds = [=](const MethodChoice& choice, std::int64_t) {
      if (choice.neighbor == NeighborMethod::pair_list) return list_price(choice.skin, 0.5);
      return (choice.cell_share == fastest ? 0.9 : 1.1) * list_price(0.5, 0.5);
    };
    world.run(with_edges(task_of(1'000'000)), kOnGpu);
    EXPECT_EQ(world.choices.back().neighbor, NeighborMethod::cells);
    EXPECT_EQ(world.choices.back().cell_share, fastest);
    EXPECT_EQ(world.choices.back().list_form, ListForm::automatic);
    EXPECT_LE(world.total, 1.03 * 0.9e6 * list_price(0.5, 0.5));
  }
}

/// Cells are so slow that no other edge is worth a trial, and neither are their other skins.
TEST(TunerForms, TriesNoEdgesOfAMethodThatCannotWin) {
  World world = liquid(0.5);  // twice as slow
  world.run(with_edges(task_of(1'000'000)), kOnGpu);
  EXPECT_TRUE(world.tried(NeighborMethod::cells));
  for (const MethodChoice& choice : world.choices)
    EXPECT_EQ(choice.cell_share, choice.neighbor == NeighborMethod::cells ? 0.5 : 0);
}

/// The last form wins by 5%, but not with the skin of the others. The tuner finds it at any position among them.
TEST(TunerForms, FindsTheFormWithASkinOfItsOwn) {
  for (const ListForm fastest : {ListForm::persistent, ListForm::clusters, ListForm::two_atom}) {
    SCOPED_TRACE(word_of(fastest));
    World world;
    world.seconds = [=](const MethodChoice& choice, std::int64_t) {
      if (choice.neighbor != NeighborMethod::pair_list) return 8e-3;
      if (choice.list_form == fastest) return 0.757 * list_price(choice.skin, 1.1);
      return list_price(choice.skin, 0.5);
    };
    world.pairs = [](std::int64_t) { return sums(2'000'000, 4'000'000); };
    world.run(with_forms(task_of(1'000'000)), kOnGpu);
    EXPECT_EQ(world.choices.back().list_form, fastest);
    EXPECT_LE(list_price(world.choices.back().skin, 1.1), 1.02 * list_price(1.1, 1.1));
  }
}

/// The form of the rule stays where the others are far slower; these are tried once, with one skin.
TEST(TunerForms, KeepsTheFormOfTheRuleWhereItIsTheFastest) {
  World world;
  world.seconds = [=](const MethodChoice& choice, std::int64_t) {
    if (choice.neighbor != NeighborMethod::pair_list) return 8e-3;
    return (choice.list_form == ListForm::persistent ? 1 : 1.7) * list_price(choice.skin, 0.5);
  };
  world.pairs = [](std::int64_t) { return sums(2'000'000, 4'000'000); };
  world.run(with_forms(task_of(300'000)), kOnGpu);
  EXPECT_EQ(world.choices.back().list_form, ListForm::persistent);
  for (const ListForm form : {ListForm::clusters, ListForm::two_atom})
    EXPECT_EQ(std::count_if(world.choices.begin(), world.choices.end(),
                            [&](const MethodChoice& choice) { return choice.list_form == form; }),
              1);
}

/// A later tuning begins with the form in use, and tries the others again when the droplet has changed.
TEST(TunerForms, ChangesTheFormWithTheDroplet) {
  constexpr std::int64_t kHalf = 500'000;
  World world;
  world.seconds = [](const MethodChoice& choice, std::int64_t step) {
    if (choice.neighbor != NeighborMethod::pair_list) return 8e-3;
    const ListForm fastest = step < kHalf ? ListForm::clusters : ListForm::two_atom;
    return (choice.list_form == fastest ? 1 : 1.5) * list_price(choice.skin, 0.5);
  };
  world.pairs = [](std::int64_t step) {
    return step < kHalf ? sums(2'000'000, 4'000'000) : sums(1'000'000, 2'000'000);
  };
  world.run(with_forms(task_of(2 * kHalf)), kOnGpu);
  const auto last_before = std::find_if(world.choices.rbegin(), world.choices.rend(),
                                        [](const MethodChoice& choice) { return choice.step < kHalf; });
  EXPECT_EQ(last_before->list_form, ListForm::clusters);
  EXPECT_EQ(world.choices.back().list_form, ListForm::two_atom);
  EXPECT_LE(world.total, 1.03 * 2 * kHalf * list_price(0.5, 0.5));
}

/// The log names edges and forms where there are several.
TEST(TunerForms, SaysEdgeAndForm) {
  World world = liquid(0.5);
  world.seconds = [](const MethodChoice& choice, std::int64_t) {
    return choice.neighbor == NeighborMethod::pair_list ? list_price(choice.skin, 0.5) : 1.4e-3;
  };
  TunerTask task = with_edges(task_of(1'000'000));
  for (TunerMethod& method : task.methods)
    if (method.cell_share == 1) method.skin = 0.5;
  world.run(task, kOnGpu);
  EXPECT_THAT(world.log[0],
              testing::StartsWith("pair-list with a skin of 0.5 A, 1255 us a step (timed at the start); tried: "));
  EXPECT_THAT(world.log[0], HasSubstr("cells with an edge of 6 A: 1400"));
  EXPECT_THAT(world.log[0], HasSubstr("; cells with an edge of 12.5 A and a skin of 0.5 A: 1400"));
  World forms = liquid(0.5);
  forms.run(with_forms(task_of(1'000'000)), kOnGpu);
  EXPECT_THAT(forms.log[0], testing::StartsWith("pair-list (persistent) with a skin of 0.5 A, 1255 us a step"));
  EXPECT_THAT(forms.log[0], HasSubstr("pair-list (clusters) with a skin of 0.5 A: 1255"));
}

TEST(TunerForms, TakesTurnsWithEdgesAndForms) {
  World world = liquid(0.5);
  TunerPolicy policy = kOnGpu;
  policy.switch_every = 3;
  constexpr auto kSteps = std::int64_t{3} * 7 * 3;
  TunerTask task = with_edges(task_of(kSteps));
  const TunerTask forms = with_forms(task);
  task.methods.insert(task.methods.end(), forms.methods.begin(), forms.methods.begin() + 3);
  world.run(task, policy);
  std::set<double> shares;
  std::set<ListForm> seen;
  std::set<double> skins;
  for (const MethodChoice& choice : world.choices) {
    shares.insert(choice.cell_share);
    seen.insert(choice.list_form);
    skins.insert(choice.skin);
  }
  EXPECT_EQ(shares, (std::set<double>{0, 1.0 / 3, 0.5, 1}));
  EXPECT_EQ(seen.size(), 4U);
  EXPECT_EQ(skins.size(), 4U) << "none, and three of the lists";
}

/// A form that the run cannot use is tried once, and the others are compared as usual.
TEST(TunerForms, LeavesOutAFormThatIsRefused) {
  World world = liquid(0.5);
  world.seconds = [](const MethodChoice& choice, std::int64_t) {
    if (choice.neighbor != NeighborMethod::pair_list) return 8e-3;
    return (choice.list_form == ListForm::two_atom ? 0.8 : 1) * list_price(choice.skin, 0.5);
  };
  int refusals = 0;
  world.refused = [&](const MethodChoice& choice) {
    refusals += choice.list_form == ListForm::clusters;
    return choice.list_form == ListForm::clusters;
  };
  world.run(with_forms(task_of(300'000)), kOnGpu);
  EXPECT_EQ(refusals, 1);
  EXPECT_EQ(world.choices.back().list_form, ListForm::two_atom);
  EXPECT_TRUE(std::any_of(world.log.begin(), world.log.end(), [](const std::string& text) {
    return text.find("pair-list (clusters) with a skin of 0.5 A is left out") == 0;
  }));
}

}  // namespace
}  // namespace dropmd

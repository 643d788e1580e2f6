#include "forces/pair/pair_search.h"

#include <gtest/gtest.h>

#include "tests/support/pair_models.h"

namespace dropmd {
namespace {

constexpr PairSearch kList{.method = NeighborMethod::pair_list};

TEST(PairSearch, TakesTwinsByRuleForManyAtomsWithFewNeighbors) {
  const PairModel liquid = lj_model("shift", 2.5);
  EXPECT_TRUE(is_by_twins(kList, liquid, Precision::mixed, kManyTwins));
  EXPECT_FALSE(is_by_twins(kList, liquid, Precision::mixed, kManyTwins - 1));
  EXPECT_FALSE(is_by_twins(kList, liquid, Precision::fp64, kManyTwins));
  EXPECT_FALSE(is_by_twins({.method = NeighborMethod::cells}, liquid, Precision::mixed, kManyTwins));
}

/// The contact distance of σ = 1 is 1.12, three of them 3.37.
TEST(PairSearch, TakesNoTwinsOfLongCutoffsOrCharges) {
  EXPECT_TRUE(twins_suit(lj_model("switch", 3.3), Precision::mixed));
  EXPECT_FALSE(twins_suit(lj_model("switch", 3.4), Precision::mixed));
  EXPECT_FALSE(twins_suit(lj_model("none"), Precision::mixed));
  EXPECT_FALSE(twins_suit(simple_model(lj_treatments(2.5)[1], coulomb_choices(2.5)[1]), Precision::mixed));
  EXPECT_FALSE(twins_suit(simple_model(std::nullopt, coulomb_choices(2.5)[1]), Precision::mixed));
}

TEST(PairSearch, TakesTheFormThatIsGiven) {
  const PairModel liquid = lj_model("shift", 2.5);
  PairSearch search = kList;
  search.form = ListForm::twins;
  EXPECT_TRUE(is_by_twins(search, liquid, Precision::mixed, 10));
  search.form = ListForm::clusters;
  EXPECT_FALSE(is_by_twins(search, liquid, Precision::mixed, kManyTwins));
}

}  // namespace
}  // namespace dropmd

#include "forces/pair/pair_search.h"

#include <gtest/gtest.h>

#include "tests/support/pair_models.h"

namespace dropmd {
namespace {

constexpr PairSearch kList{.method = NeighborMethod::pair_list};

TEST(PairSearch, TakesTwoAtomClustersByRuleForManyAtomsWithFewNeighbors) {
  const PairModel liquid = lj_model("shift", 2.5);
  EXPECT_TRUE(uses_two_atom_clusters(kList, liquid, Precision::mixed, kTwoAtomMinAtoms));
  EXPECT_FALSE(uses_two_atom_clusters(kList, liquid, Precision::mixed, kTwoAtomMinAtoms - 1));
  EXPECT_FALSE(uses_two_atom_clusters(kList, liquid, Precision::fp64, kTwoAtomMinAtoms));
  EXPECT_FALSE(uses_two_atom_clusters({.method = NeighborMethod::cells}, liquid, Precision::mixed, kTwoAtomMinAtoms));
}

/// The contact distance for σ = 1 is 1.12, and three times that is 3.37.
TEST(PairSearch, TakesNoTwoAtomClustersOfLongCutoffsOrCharges) {
  EXPECT_TRUE(two_atom_clusters_suit(lj_model("switch", 3.3), Precision::mixed));
  EXPECT_FALSE(two_atom_clusters_suit(lj_model("switch", 3.4), Precision::mixed));
  EXPECT_FALSE(two_atom_clusters_suit(lj_model("none"), Precision::mixed));
  EXPECT_FALSE(two_atom_clusters_suit(simple_model(lj_treatments(2.5)[1], coulomb_choices(2.5)[1]), Precision::mixed));
  EXPECT_FALSE(two_atom_clusters_suit(simple_model(std::nullopt, coulomb_choices(2.5)[1]), Precision::mixed));
}

TEST(PairSearch, TakesTheFormThatIsGiven) {
  const PairModel liquid = lj_model("shift", 2.5);
  PairSearch search = kList;
  search.form = ListForm::two_atom;
  EXPECT_TRUE(uses_two_atom_clusters(search, liquid, Precision::mixed, 10));
  search.form = ListForm::clusters;
  EXPECT_FALSE(uses_two_atom_clusters(search, liquid, Precision::mixed, kTwoAtomMinAtoms));
}

}  // namespace
}  // namespace dropmd

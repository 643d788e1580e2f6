#include "engine/list_pace.h"

#include <gtest/gtest.h>

namespace dropmd {
namespace {

TEST(ListPace, LaunchesNoPieceInVainWhereListsStayGood) {
  const ListPace pace;
  EXPECT_EQ(pace.pieces(1), 1);
  EXPECT_EQ(pace.pieces(10), 1);
  EXPECT_EQ(pace.pieces(11), 2);
  EXPECT_EQ(pace.pieces(990), 99);
}

TEST(ListPace, LaunchesHalfAPieceMoreForEachListAndOneToBeSure) {
  ListPace pace;
  pace.begin(1000, 7);
  pace.count(1100, 12);  // five lists in a hundred steps
  EXPECT_EQ(pace.pieces(100), 10 + 3 + 1);
  EXPECT_EQ(pace.pieces(1), 1);
}

TEST(ListPace, LaunchesAPieceForEachListThatServesForFewSteps) {
  ListPace pace;
  pace.begin(0, 0);
  pace.count(100, 20);  // each for five steps
  EXPECT_EQ(pace.pieces(100), 20);
  EXPECT_EQ(pace.pieces(10), 2);
}

TEST(ListPace, KeepsWhatItKnewWhereNothingCanBeCounted) {
  ListPace pace;
  pace.begin(0, 0);
  pace.count(10, 10);
  EXPECT_EQ(pace.pieces(10), 10);
  pace.begin(50, 40);
  pace.count(50, 41);  // no step was made
  EXPECT_EQ(pace.pieces(10), 10);
  pace.count(60, 1);  // counted anew in between
  EXPECT_EQ(pace.pieces(10), 10);
}

TEST(ListPace, LaunchesAPieceForEveryStepWithoutSkin) {
  ListPace pace(piece_steps(0));
  pace.begin(0, 0);
  pace.count(10, 10);
  EXPECT_EQ(pace.pieces(10), 10);
}

}  // namespace
}  // namespace dropmd

#include "device/communicator/rank_share.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

/// How the ranks of a host share it.
namespace dropmd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(RankShare, RanksThatSeeTheSameGpusTakeThemInTurn) {
  const RankView alike{"node1", "0,1,2,3", {"a", "b", "c"}};
  const std::vector<RankView> views{alike, {"node2", "0", {"a"}}, alike};
  EXPECT_THAT(rank_share(views, 0).devices, ElementsAre(0, 2));
  EXPECT_THAT(rank_share(views, 1).devices, ElementsAre(0)) << "another host";
  EXPECT_THAT(rank_share(views, 2).devices, ElementsAre(1));
  EXPECT_EQ(rank_share(views, 0).processor_sharers, 2);
  EXPECT_EQ(rank_share(views, 1).processor_sharers, 1);
}

TEST(RankShare, ABatchSystemMayGiveEachRankItsOwn) {
  const std::vector<RankView> views{{"node", "0,1", {"a"}}, {"node", "2,3", {"b"}}};
  EXPECT_THAT(rank_share(views, 0).devices, ElementsAre(0));
  EXPECT_THAT(rank_share(views, 1).devices, ElementsAre(0)) << "its own numbers begin at 0";
  EXPECT_EQ(rank_share(views, 1).processor_sharers, 1);
}

TEST(RankShare, AGpuBelongsToOneRank) {
  const RankView alike{"node", "0", {"a"}};
  const std::vector<RankView> views{alike, alike, {"node", "1", {"b", "a"}}};
  EXPECT_THAT(rank_share(views, 0).devices, ElementsAre(0));
  EXPECT_THAT(rank_share(views, 1).devices, IsEmpty());
  EXPECT_THAT(rank_share(views, 1).no_device, HasSubstr("other ranks on node use its GPU"));
  EXPECT_THAT(rank_share(views, 2).devices, ElementsAre(0)) << "b";
  EXPECT_TRUE(rank_share(views, 2).no_device.empty());
}

TEST(RankShare, AHostWithoutGpusHasNoneToMiss) {
  const std::vector<RankView> views{{"node", "0", {}}, {"node", "0", {}}};
  EXPECT_THAT(rank_share(views, 1).devices, IsEmpty());
  EXPECT_TRUE(rank_share(views, 1).no_device.empty());
  EXPECT_EQ(rank_share(views, 1).processor_sharers, 2);
}

TEST(RankShare, ViewsTravelAsText) {
  const RankView view{"node 1", "0-3,8", {"0000:17:00.0", "0000:65:00.0"}};
  const RankView read = rank_view_of(to_text(view));
  EXPECT_EQ(read.host, view.host);
  EXPECT_EQ(read.processors, view.processors);
  EXPECT_EQ(read.devices, view.devices);
  EXPECT_FALSE(rank_view().host.empty());
  EXPECT_FALSE(rank_view().processors.empty());
}

}  // namespace
}  // namespace dropmd

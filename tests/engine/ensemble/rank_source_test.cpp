#include "engine/ensemble/rank_source.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

/// What ranks tell each other of runs.
namespace dropmd {
namespace {

TEST(RankSource, ResultsTravelAsText) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const ReplicaResult result{ReplicaState::failed,
                             123'456'789'012,
                             0.1 + 0.2,
                             {{"potential", {-1.0 / 3, 1e-300}}, {"temperature", {310, nan}}},
                             "run.toml:3: two lines\nof \"text\"",
                             ExitStatus::physics};
  const ReplicaResult read = replica_result_of(to_text(result));
  EXPECT_EQ(read.state, result.state);
  EXPECT_EQ(read.steps, result.steps);
  EXPECT_EQ(read.time, result.time);
  EXPECT_EQ(read.message, result.message);
  EXPECT_EQ(read.status, ExitStatus::physics);
  ASSERT_EQ(read.means.size(), 2U);
  EXPECT_EQ(read.means[0].name, "potential");
  EXPECT_EQ(read.means[0].value.mean, -1.0 / 3);
  EXPECT_EQ(read.means[0].value.error, 1e-300);
  EXPECT_EQ(read.means[1].value.mean, 310);
  EXPECT_TRUE(std::isnan(read.means[1].value.error));
  EXPECT_EQ(replica_result_of(to_text(ReplicaResult{})).state, ReplicaState::waiting);
}

}  // namespace
}  // namespace dropmd

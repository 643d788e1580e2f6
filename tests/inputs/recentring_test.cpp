#include "inputs/run_file/recentring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inputs/run_file/resolved_run.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/run_file.h"
#include "inputs/structures/bare_structure.h"
#include "tests/support/form_catalog.h"

/// Whether a run moves its atoms to the origin where nothing, or only a wall, decides it.
namespace dropmd {
namespace {

using testing::HasSubstr;

RunConfig run_of(const std::string& sections) {
  return parse_run_file({"run.toml", "units = \"lj\"\n[system]\nstructure = \"a.xyz\"\n" + sections}, "run.toml",
                        test_form_catalog());
}

TEST(Recentring, IsTheDefaultInEmptySpaceAlone) {
  EXPECT_EQ(recentring(run_of("")), Recenter::geometric);
  EXPECT_EQ(recentring(run_of("[wall]\nform = \"none\"\n")), Recenter::geometric);
  EXPECT_EQ(recentring(run_of("[wall]\n")), Recenter::none);
  EXPECT_EQ(recentring(run_of("[wall]\n[run]\nrecenter = \"mass\"\n")), Recenter::mass);
  EXPECT_EQ(recentring(run_of("[run]\nrecenter = \"none\"\n")), Recenter::none);
}

TEST(Recentring, FollowsAWallThatIsTakenAway) {
  RunConfig config = run_of("[wall]\n");
  config.fields.erase("wall");
  EXPECT_EQ(recentring(config), Recenter::geometric);
}

TEST(Recentring, OfADropletFileIsThatOf2009) {
  EXPECT_EQ(recentring(bare_structure_config("a.drop", test_form_catalog())), Recenter::geometric);
}

TEST(Recentring, IsWrittenOut) {
  EXPECT_THAT(resolved_run_toml(run_of("[wall]\n")), HasSubstr("\nrecenter = \"none\"\n"));
  EXPECT_THAT(resolved_run_toml(run_of("")), HasSubstr("\nrecenter = \"geometric\"\n"));
}

TEST(Recentring, AgainstAWallIsWarnedOf) {
  EXPECT_THAT(recentring_warning(run_of("[wall]\n[run]\nrecenter = \"mass\"\n")).value_or(""),
              HasSubstr("run.toml: recenter = \"mass\" moves the atoms against the wall"));
  EXPECT_FALSE(recentring_warning(run_of("[wall]\n")));
  EXPECT_FALSE(recentring_warning(run_of("[run]\nrecenter = \"mass\"\n")));
  EXPECT_FALSE(recentring_warning(run_of("[wall]\n[run]\nrecenter = \"mass\"\nrecenter-every = 0\n")));
}

}  // namespace
}  // namespace dropmd

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/app_folder.h"

/// Tables and files of `dropmd bench`.
namespace dropmd {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Bench, SortPrintsATable) {
  const AppFolder folder;
  const Outcome outcome = folder.run("dropmd bench sort --backend cpu --lengths 8,90 --keys 20000");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 6U) << "title, heading, two methods for two lengths";
  EXPECT_THAT(lines[0], StartsWith("dropmd "));
  const std::vector<std::string> heading = words_of(lines[1]);
  EXPECT_EQ(heading.front(), "lengths");
  const std::vector<std::string> row = words_of(lines[4]);
  ASSERT_GE(row.size(), 6U);
  EXPECT_EQ((std::vector<std::string>{row.begin(), row.begin() + 6}),
            (std::vector<std::string>{"uniform", "90", "222", "19980", "cpu", "dropmd"}));
}

TEST(Bench, SortWritesCsv) {
  const AppFolder folder;
  const Outcome outcome = folder.run("dropmd bench sort --backend cpu --lengths 8 --keys 2000 --threads 1 -o sort.csv");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("1 case")) << "progress";
  EXPECT_THAT(outcome.err, HasSubstr("std-sort"));
  const std::vector<std::string> lines = lines_of(folder.text("sort.csv"));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[0], StartsWith("# dropmd "));
  EXPECT_EQ(lines[1],
            "lengths,mean_length,longest_length,empty_fraction,segments,n_keys,backend,device,method,time_us,"
            "graph_node_us,keys_per_s,fraction_of_copy,speedup_over_cub,checked_against");
  EXPECT_THAT(lines[2], StartsWith("uniform,8,8,0.0,250,2000,cpu,\"CPU, 1 thread\",dropmd,"));
  EXPECT_THAT(lines[3], HasSubstr(",std-sort,"));
}

TEST(Bench, WritesATableWithoutCsv) {
  const AppFolder folder;
  const std::string sort = "dropmd bench sort --backend cpu --lengths 8 --keys 2000 --methods std-sort -o sort.txt";
  EXPECT_EQ(folder.run(sort).status, 0);
  EXPECT_EQ(lines_of(folder.text("sort.txt")).size(), 3U);
  EXPECT_EQ(folder.run(sort).status, 6) << "it exists";
  const Outcome quiet = folder.run(sort + " --force -q");
  EXPECT_EQ(quiet.status, 0);
  EXPECT_EQ(quiet.err, "");
  const std::string forces = "dropmd bench forces --backend cpu --atoms 100 --threads 1 -o forces.txt";
  EXPECT_EQ(folder.run(forces).status, 0);
  EXPECT_THAT(folder.text("forces.txt"), HasSubstr("all-pairs"));
}

TEST(Bench, SegmentsAreANumberOfThem) {
  const AppFolder folder;
  const Outcome outcome = folder.run("dropmd bench sort --backend cpu --segments 10,100 --methods std-sort");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(words_of(lines[2])[3], "900") << "of 90 keys";
  EXPECT_EQ(words_of(lines[3])[3], "9000");
}

}  // namespace
}  // namespace dropmd

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "bench/sort.h"
#include "device/device_info.h"
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

TEST(Bench, ItsWhatIsOneWord) {
  const AppFolder folder;
  const Outcome none = folder.run("dropmd bench");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("what to time is missing (known: forces, sort)"));
  const Outcome two = folder.run("dropmd bench sort --lengths 8 90");
  EXPECT_EQ(two.status, 2);
  EXPECT_THAT(two.err, HasSubstr("bench sort: unexpected word '90' (lists have commas"));
}

TEST(Bench, HelpNamesTheMethods) {
  const std::string help = AppFolder().run("dropmd bench --help").out;
  for (const std::string_view name : sort_bench_methods(Backend::automatic)) EXPECT_THAT(help, HasSubstr(name));
}

TEST(Bench, CsvIsKnownByItsSuffixInAnyCase) {
  const AppFolder folder;
  EXPECT_EQ(folder.run("dropmd bench sort --backend cpu --lengths 8 --keys 80 --threads 1 -q -o A.CSV").status, 0);
  EXPECT_THAT(folder.text("A.CSV"), HasSubstr("uniform,8,8,0.0,10,80,cpu,"));
  EXPECT_EQ(folder.run("dropmd bench sort --json -o B.Csv").status, 2);
}

TEST(Bench, ACaseWithoutKeysIsRefused) {
  const Outcome outcome = AppFolder().run("dropmd bench sort --backend cpu --ragged 1 --segments 1");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--ragged 1: one segment of that mean without a key"));
}

TEST(Bench, MethodsOfAGpuNeedOne) {
  if (!query_devices().devices.empty()) GTEST_SKIP() << "there is a GPU";
  const Outcome outcome = AppFolder().run("dropmd bench sort --methods rank-1");
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.err, HasSubstr("none of the --methods runs on the CPU, where dropmd and std-sort do"));
}

TEST(Bench, AnInterruptedFileHasWhatWasMeasured) {
  const AppFolder folder;
  ChildProcess child(folder.path(), words_of(DROPMD_BINARY " bench sort --backend cpu --lengths default --keys 1000000"
                                                           " --threads 1 --methods std-sort -o sort.csv"));
  using std::chrono::steady_clock;
  const auto give_up = steady_clock::now() + std::chrono::seconds(60);
  const auto rows_shown = [&] { return lines_of(text_of(folder.path() / ".err")).size(); };
  while (rows_shown() < 5) {  // number of cases, title, heading, two cases
    ASSERT_TRUE(child.running() && steady_clock::now() < give_up);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  child.send(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.status, 130) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("sort.csv has what was measured before"));
  const std::vector<std::string> lines = lines_of(folder.text("sort.csv"));
  ASSERT_GE(lines.size(), 5U);
  EXPECT_THAT(lines[2], StartsWith("uniform,2,"));
  EXPECT_THAT(lines[3], StartsWith("uniform,3,"));
  EXPECT_EQ(lines.back(), "# incomplete: interrupted");
}

}  // namespace
}  // namespace dropmd

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bench/maps.h"
#include "device/device_info.h"
#include "tests/support/system/bench_runs.h"

/// Tables and files of `dropmd bench map`.
namespace dropmd {
namespace {

using testing::HasSubstr;

TEST(BenchMap, PrintsATable) {
  const Outcome outcome =
      AppFolder().run("dropmd bench map --backend cpu --atoms 100 --spacing 2 --forms cut --precision mixed");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("cut            dropmd          cpu     mixed"));
}

TEST(BenchMap, NumbersOfARowFollowFromItsTime) {
  const Outcome outcome = AppFolder().run(
      "dropmd bench map --backend cpu --atoms 100 --spacing 2 --points 9 --cutoff 5 --density 0.05 --threads 1 --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["what"], "map");
  ASSERT_EQ(json["rows"].size(), 4U);
  for (const Json& row : json["rows"]) {
    EXPECT_EQ(row["n_points"], 729);
    EXPECT_EQ(row["spacing_angstrom"], 2);
    EXPECT_EQ(row["device"], "CPU, 1 thread");
    EXPECT_EQ(row["cutoff_angstrom"].is_null(), row["form"] == "exact");
    EXPECT_TRUE(row["kernel_us"].is_null());
#if defined(__AVX__)
    EXPECT_EQ(row["limit_evaluations_per_s"].is_null(), row["precision"] == "double");
#endif
    const double us = row["time_us"], rate = row["evaluations_per_s"], useful = row["useful_evaluations_per_s"];
    constexpr double kRounding = 1e-12;  // a few operations on doubles
    EXPECT_NEAR(row["ns_per_point"].get<double>() / (us * 1e3 / 729), 1, kRounding);
    EXPECT_NEAR(row["useful_fraction"].get<double>() / (useful / rate), 1, kRounding);
    const double useful_pairs = useful * us * 1e-6, all = 100 * 729;
    EXPECT_TRUE(row["form"] == "exact" ? std::abs(useful_pairs / all - 1) < kRounding : useful_pairs < all);
  }
}

TEST(BenchMap, WritesItsTableToAFile) {
  const AppFolder folder;
  EXPECT_EQ(folder.run("dropmd bench map --backend cpu --atoms 100 --spacing 3 -o map.txt").status, 0);
  EXPECT_THAT(folder.text("map.txt"), HasSubstr("shift"));
}

TEST(BenchMap, WordsAndNumbersThatCannotBeAreRefused) {
  const auto refusal = [](const std::string& options) {
    const Outcome outcome = AppFolder().run("dropmd bench map --backend cpu " + options);
    EXPECT_EQ(outcome.status, 2) << options;
    return outcome.err;
  };
  EXPECT_THAT(refusal("--forms shfit"), HasSubstr("--forms: unknown word 'shfit'"));
  EXPECT_THAT(refusal("--designs drop"), HasSubstr("--designs: unknown word 'drop'"));
  EXPECT_THAT(refusal("--points 5000"), HasSubstr("--points 5000 is too large (at most 4096)"));
  EXPECT_THAT(refusal("--spacing 0"), HasSubstr("--spacing 0 is out of range"));
  EXPECT_THAT(refusal("--scaling --atoms 100"), HasSubstr("cannot be combined"));
  EXPECT_THAT(refusal("--keys 100"), HasSubstr("bench map does not use --keys"));
}

TEST(BenchMap, HelpNamesTheDesigns) {
  const std::string help = AppFolder().run("dropmd bench --help").out;
  for (const std::string_view name : map_bench_designs()) EXPECT_THAT(help, HasSubstr(name));
}

}  // namespace
}  // namespace dropmd

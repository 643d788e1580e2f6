#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "bench/mesh/mesh_limits.h"
#include "device/device_info.h"
#include "tests/support/system/bench_runs.h"

/// Tables and limits of `dropmd bench mesh`, and what a dry run says of a mesh.
namespace dropmd {
namespace {

using testing::HasSubstr;

/// The bytes of the passes over lines that forces/mesh/cuda/transforms/mesh_transforms.cuh counts.
TEST(MeshLimits, CountWhatAnEvaluationHasToDo) {
  constexpr int kPoints = 512;
  MeshWork work{.points = {kPoints, kPoints, kPoints},
                .length = {2 * kPoints, 2 * kPoints, 2 * kPoints},
                .order = 6,
                .n_spread = 1000,
                .real_bytes = 4,
                .pairs = 1e6,
                .degree = 9};
  constexpr double kNever = 1e300;
  const double points = std::pow(kPoints, 3);
  const MeshLimits by_copies = MeshLimits::of(work, {1, kNever, kNever, 1});
  EXPECT_NEAR(by_copies.transforms / points, 108, 0.01 * 108) << "bytes of a point";
  EXPECT_NEAR(by_copies.spread, 4 * points, 1) << "cleared";
  EXPECT_NEAR(by_copies.gather, 4 * points + 80 * 1000, 1) << "read once";
  EXPECT_EQ(by_copies.pairs, 33e6);
  const MeshLimits by_arithmetic = MeshLimits::of(work, {kNever, 1, 1, 1});
  EXPECT_NEAR(by_arithmetic.spread, 1000 * 216, 1e-6);
  EXPECT_NEAR(by_arithmetic.gather, 1000 * (2 * 216 + 3 * 36 + 3 * 6), 1e-6);
  // Real lines of z, then complex ones of y and x, of which half a plane is not zero: 2 (n²/2 + n² + 2n²) lines.
  EXPECT_NEAR(by_arithmetic.transforms, 7.0 * kPoints * kPoints * 2.5 * 1024 * 10, 0.01 * by_arithmetic.transforms);
  work.real_bytes = 8;
  EXPECT_NEAR(MeshLimits::of(work, {1, kNever, kNever, 1}).transforms, 2 * by_copies.transforms, 1);
}

TEST(BenchMesh, NumbersOfARowFollowFromItsTimes) {
  const Outcome outcome = AppFolder().run(
      "dropmd bench mesh --backend cpu --atoms 3000 --accuracy 1e-3 --mesh-order 6 --vapour 0.002 --precision mixed "
      "--threads 1 --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["what"], "mesh");
  std::map<std::string, Json> parts;
  for (const Json& row : json["rows"]) {
    EXPECT_EQ(row["n_atoms"], 3000);
    EXPECT_EQ(row["order"], 6);
    EXPECT_GE(row["n_outside"], 1);
    EXPECT_LE(row["n_outside"], 6);
    EXPECT_LE(row["estimated_error"].get<double>() * 1.3, 1.001e-3);
    EXPECT_LE(row["measured_error"].get<double>(), 1e-3);
    EXPECT_GE(row["measured_error"].get<double>(), 1e-5);
    parts[row["part"]] = row;
    if (row["limit_us"].is_null()) continue;
    const double limit = row["limit_us"], time = row["time_us"];
    EXPECT_GT(limit, 0);
    EXPECT_NEAR(row["fraction_of_limit"].get<double>(), limit / time, 1e-12);
  }
  ASSERT_EQ(parts.size(), 6U) << "spread and gather, transforms, outside, mesh, pairs, evaluation";
  const auto time = [&](const char* part) { return parts.at(part)["time_us"].get<double>(); };
  EXPECT_NEAR(time("evaluation"), time("mesh") + time("pairs"), 1e-9 * time("evaluation"));
  EXPECT_TRUE(parts.at("outside")["limit_us"].is_null());
}

TEST(BenchMesh, TimesTheRunOfAFile) {
  const AppFolder folder;
  EXPECT_EQ(folder.run("dropmd generate droplet --atoms 1500 --disorder 0.05 -o mesh.drop -q").status, 0);
  folder.write("mesh.toml",
               "units = \"real\"\n[system]\nstructure = \"mesh.drop\"\nmass = 20\n[lennard-jones]\nepsilon = 0.2\n"
               "r-min = 2.5\ncutoff = 8\nat-cutoff = \"force-shift\"\n[coulomb]\nform = \"exact\"\nmesh-order = 5\n"
               "[engine]\nbackend = \"cpu\"\nthreads = 1\nprecision = \"double\"\n");
  const Outcome outcome = folder.run("dropmd bench mesh mesh.toml");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("double    transforms"));
  EXPECT_THAT(folder.run("dropmd bench mesh mesh.toml --accuracy 1e-3").err, HasSubstr("cannot be combined"));
  EXPECT_THAT(folder.run("dropmd bench mesh --atoms 100 --mesh-order 9").err, HasSubstr("--mesh-order 9 is too large"));
  EXPECT_THAT(folder.run("dropmd bench mesh --atoms 100 --accuracy x").err, HasSubstr("'x' is not a number"));
  EXPECT_EQ(folder.run("dropmd bench mesh --atoms 100 --accuracy 1e-14 --backend cpu").status, 3);
}

TEST(DryRun, FitsTheMeshAndSaysItsError) {
  const AppFolder folder;
  ASSERT_EQ(folder.run("dropmd generate droplet --atoms 1500 --disorder 0.05 -o mesh.drop -q").status, 0);
  folder.write("mesh.toml",
               "units = \"real\"\n[system]\nstructure = \"mesh.drop\"\nmass = 20\n[lennard-jones]\nepsilon = 0.2\n"
               "r-min = 2.5\ncutoff = 8\n[coulomb]\nform = \"exact\"\nmethod = \"mesh\"\naccuracy = 1e-3\n");
  const Outcome text = folder.run("dropmd run mesh.toml --dry-run --backend cpu");
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("\n# mesh: pairs within "));
  EXPECT_THAT(text.out, HasSubstr("\n# mesh: measured error "));

  const Outcome outcome = folder.run("dropmd run mesh.toml --dry-run --backend cpu --json");
  const Json said = Json::parse(outcome.out)["estimate"]["mesh"];
  ASSERT_GE(said.size(), 2U);
  EXPECT_THAT(said.front().get<std::string>(), HasSubstr("mesh: pairs within "));
  EXPECT_THAT(said.back().get<std::string>(), HasSubstr("mesh: measured error"));
  const Outcome run = folder.run("dropmd run mesh.toml --steps 0 --backend cpu -o out");
  for (const auto& line : said) EXPECT_THAT(run.out + run.err, HasSubstr("step 0: " + line.get<std::string>()));
}

}  // namespace
}  // namespace dropmd

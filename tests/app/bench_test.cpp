#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "bench/sort.h"
#include "core/clock.h"
#include "device/device_info.h"
#include "tests/support/system/bench_runs.h"

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
  EXPECT_THAT(none.err, HasSubstr("what to time is missing (known: forces, map, mesh, sort, step)"));
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
  EXPECT_THAT(outcome.err, HasSubstr("--ragged 1: one segment of that mean would have no keys"));
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
  EXPECT_THAT(outcome.err, HasSubstr("sort.csv has what was measured so far"));
  const std::vector<std::string> lines = lines_of(folder.text("sort.csv"));
  ASSERT_GE(lines.size(), 5U);
  EXPECT_THAT(lines[2], StartsWith("uniform,2,"));
  EXPECT_THAT(lines[3], StartsWith("uniform,3,"));
  EXPECT_EQ(lines.back(), "# incomplete: interrupted");
}

/// The rows that --json prints.
Json rows_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  if (outcome.status != 0) return Json::array();
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["what"], "step");
  return json["rows"];
}

TEST(BenchStep, PrintsATable) {
  const AppFolder folder;
  const Outcome outcome = folder.run("dropmd bench step --backend cpu --atoms 30,50 --steps 20 --threads 1");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 22U) << "title, heading; exact by all pairs and cutoff-12 by four methods, in two precisions";
  EXPECT_THAT(lines[0], StartsWith("dropmd "));
  const std::vector<std::string> row = words_of(lines[21]);
  ASSERT_EQ(row.size(), 16U);
  EXPECT_EQ((std::vector<std::string>{row.begin(), row.begin() + 6}),
            (std::vector<std::string>{"50", "cutoff-12", "cpu", "mixed", "pair-list", "20"}));
  EXPECT_EQ(row[9], "-") << "a list does not hold all pairs";
  EXPECT_EQ(row[12], "pair-list");
  EXPECT_GT(std::stod(row[13]), 0) << "its skin";
  EXPECT_EQ(row[14], "-") << "no cells";
  EXPECT_EQ(row[15], "-") << "lists of a CPU have one form";
  EXPECT_EQ(words_of(lines[17])[12], "cells");
  EXPECT_EQ(words_of(lines[17])[14], "0.500") << "the edge, as a share of the cutoff";
}

TEST(BenchStep, NumbersOfARowFollowFromItsTime) {
  const Json rows = rows_of(AppFolder().run(
      "dropmd bench step --backend cpu --atoms 50 --steps 200 --energy-every 50 --threads 1 --precision mixed --json"));
  ASSERT_EQ(rows.size(), 5U);
  for (const Json& row : rows) {
    std::vector<std::string> names;
    for (const auto& [name, value] : row.items()) names.push_back(name);
    EXPECT_THAT(names,
                testing::ElementsAre("n_atoms", "physics", "backend", "device", "precision", "neighbor", "chosen",
                                     "skin", "cell_share", "list_form", "integrator", "steps", "energy_every_steps",
                                     "us_per_step", "fastest_us_per_step", "atom_steps_per_s", "unique_pairs_per_s",
                                     "ns_per_day", "energy_drift_per_step"));
    EXPECT_EQ(row["n_atoms"], 50);
    EXPECT_EQ(row["device"], "CPU, 1 thread");
    EXPECT_EQ(row["integrator"], "velocity-verlet");
    EXPECT_EQ(row["steps"], 200);
    EXPECT_EQ(row["energy_every_steps"], 50);
    const double us = row["us_per_step"];
    EXPECT_GT(us, 0);
    EXPECT_LE(row["fastest_us_per_step"].get<double>(), us);
    constexpr double kRounding = 1e-12;  // a few operations on doubles
    EXPECT_NEAR(row["atom_steps_per_s"].get<double>() * us / 50e6, 1, kRounding);
    EXPECT_NEAR(row["ns_per_day"].get<double>() * us / 86400, 1, 1e-9) << "1 fs a step, from a sum of times";
    // Untruncated forces in mixed precision conserve energy to 1e-9 per step; plain cuts make it jump, by 1e-7 at this
    // size.
    EXPECT_LT(std::abs(row["energy_drift_per_step"].get<double>()), 1e-6);
    EXPECT_NE(row["energy_drift_per_step"], 0.0);
    if (row["neighbor"] == "all-pairs")
      EXPECT_NEAR(row["unique_pairs_per_s"].get<double>() * us / (25 * 49 * 1e6), 1, kRounding);
    else
      EXPECT_TRUE(row["unique_pairs_per_s"].is_null());
  }
}

TEST(BenchStep, TimesTheRunOfAFile) {
  const AppFolder folder;
  write_small_run(folder);
  // Other load may change the machine's speed between a trial and the pieces, or during one, so the test tries three
  // times.
  bool near = false;
  std::string tries;
  for (int i = 0; i < 3 && !near; ++i) {
    const double begin = steady_seconds();
    const Json rows = rows_of(folder.run("dropmd bench step small.toml --json"));
    const double seconds = steady_seconds() - begin;
    ASSERT_EQ(rows.size(), 1U);
    const Json& row = rows[0];
    EXPECT_EQ(row["physics"], "file");
    EXPECT_EQ(row["precision"], "double");
    const std::int64_t steps = row["steps"];
    EXPECT_EQ(steps % 100, 0) << "whole intervals of energies";
    const double us = row["us_per_step"], piece = us * 1e-6 * static_cast<double>(steps);
    EXPECT_LE(5 * 1e-6 * row["fastest_us_per_step"].get<double>() * static_cast<double>(steps), seconds);
    EXPECT_NEAR(row["ns_per_day"].get<double>() * us / 43200, 1, 1e-9) << "0.5 fs a step";
    // A piece is meant to take 0.4 s. Five pieces and one warm-up piece make up most of the process's time.
    near = piece > 0.1 && piece < 1.6 && 6 * piece >= 0.45 * seconds;
    tries += std::to_string(piece) + " s a piece, " + std::to_string(seconds) + " s in all\n";
  }
  EXPECT_TRUE(near) << tries;
  EXPECT_FALSE(folder.has("out")) << "nothing is written";
}

TEST(BenchStep, OptionsOverrideTheFile) {
  const AppFolder folder;
  const std::string line = "dropmd bench step inputs/samples/droplet-4139.toml --backend cpu --steps 2 --json";
  const Json rows = rows_of(folder.run(line + " --neighbor cells --precision double --energy-every 1"));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["n_atoms"], 4139);
  EXPECT_EQ(rows[0]["neighbor"], "cells");
  EXPECT_EQ(rows[0]["precision"], "double");
  EXPECT_EQ(rows[0]["energy_every_steps"], 1);
}

TEST(BenchStep, ABareDropletIsTimedAsItRuns) {
  const AppFolder folder;
  write_small_run(folder);
  const Json rows = rows_of(folder.run("dropmd bench step small.drop --backend cpu --steps 10 --json"));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["integrator"], "descent");
  EXPECT_TRUE(rows[0]["ns_per_day"].is_null()) << "units lj";
  EXPECT_LT(rows[0]["energy_drift_per_step"], 0.0) << "it descends";
}

TEST(BenchStep, LeavesOutWhatIsSlow) {
  const AppFolder folder;
  const Json rows = rows_of(
      folder.run("dropmd bench step --backend cpu --atoms 5001 --steps 1 --precision mixed --neighbor auto --json"));
  ASSERT_EQ(rows.size(), 3U) << "all pairs, exact and cut";
  EXPECT_EQ(rows[0]["neighbor"], "cells");
  EXPECT_EQ(rows[1]["neighbor"], "sorted-cells");
  EXPECT_EQ(rows[2]["neighbor"], "pair-list");
  const Json asked = rows_of(folder.run(
      "dropmd bench step --backend cpu --atoms 5001 --steps 1 --precision mixed --neighbor all-pairs --json"));
  EXPECT_EQ(asked.size(), 2U);
  EXPECT_EQ(folder.run("dropmd generate droplet --atoms 5001 --disorder 0.05 -o large.drop -q").status, 0);
  EXPECT_EQ(rows_of(folder.run("dropmd bench step large.drop --backend cpu --steps 1 --json")).size(), 1U)
      << "the only method that this file allows";
}

TEST(BenchStep, AMinimizerMayBeDoneTooSoon) {
  const Outcome outcome = AppFolder().run("dropmd bench step inputs/samples/lj-cluster-13.toml --backend cpu");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("lj-cluster-13.toml: the minimiser converged after step"));
}

TEST(BenchStep, WritesATable) {
  const AppFolder folder;
  write_small_run(folder);
  const std::string line = "dropmd bench step small.toml --steps 1 -o step.txt";
  const Outcome outcome = folder.run(line);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(lines_of(folder.text("step.txt")).size(), 3U);
  EXPECT_EQ(folder.run(line).status, 6) << "it exists";
  const std::string before = folder.text("small.drop");
  EXPECT_EQ(folder.run("dropmd bench step small.toml --steps 1 --force -o small.drop").status, 6) << "an input";
  EXPECT_EQ(folder.text("small.drop"), before);
}

TEST(BenchStep, RefusesMistakes) {
  const AppFolder folder;
  write_small_run(folder);
  folder.write("notes.txt", "");
  struct Mistake {
    std::string words;
    int status;
    std::string message;
  };
  const std::vector<Mistake> mistakes{
      {"step --atoms 1", 2, "--atoms 1 is too small (at least 2)"},
      {"step --atoms 100,many", 2, "--atoms: 'many' is not a whole number"},
      {"step --steps 0", 2, "--steps 0 is too small (at least 1)"},
      {"step --steps 2000000000", 2, "--steps 2000000000 is too large"},
      {"step --energy-every 0", 2, "--energy-every 0 is too small (at least 1)"},
      {"step --steps 250", 2, "--steps 250 is not a multiple of the 100 steps between energies (such as 200"},
      {"step --lengths 8", 2, "bench step does not use --lengths (it is for bench sort)"},
      {"sort --energy-every 8", 2, "bench sort does not use --energy-every (it is for bench step)"},
      {"step --every 8", 2, "every"},
      {"step small.toml small.drop", 2, "bench step: unexpected word 'small.drop'"},
      {"forces small.toml", 2, "bench forces: unexpected word 'small.toml'"},
      {"step small.toml --atoms 100", 2, "--atoms and a file cannot be combined"},
      {"step missing.toml", 3, "missing.toml"},
      {"step notes.txt", 3, "notes.txt: neither a run file nor a structure"},
      {"step small.toml --neighbor cells", 3, "'cells' needs a cutoff for every pair term"},
      {"step small.toml --threads 5000", 2, "--threads: 5000 threads are too many"}};
  for (const Mistake& mistake : mistakes) {
    const Outcome outcome = folder.run("dropmd bench " + mistake.words);
    EXPECT_EQ(outcome.status, mistake.status) << mistake.words;
    EXPECT_THAT(outcome.err, HasSubstr(mistake.message)) << mistake.words;
    EXPECT_EQ(outcome.out, "") << mistake.words;
  }
}

}  // namespace
}  // namespace dropmd

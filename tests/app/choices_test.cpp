#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "app/shared_options.h"
#include "device/device_info.h"
#include "engine/jobs/run_job.h"
#include "inputs/choices_file.h"
#include "inputs/run_file/run_config.h"
#include "tests/support/hasty_tuner.h"
#include "tests/support/system/app_folder.h"

/// What a tuned run leaves behind, and `dropmd run --choices`, which reproduces it.
namespace dropmd {
namespace {

using testing::HasSubstr;

constexpr const char* kRows[] = {"energy.csv", "trajectory.xyz", "final.drop"};

/// 300 atoms with cutoffs; method and skin are open, so the autotuning chooses them.
void write_run(const AppFolder& folder) {
  EXPECT_EQ(folder.run("dropmd generate droplet --atoms 300 --disorder 0.05 -o small.drop -q").status, 0);
  folder.write("small.toml",
               "units = \"real\"\n[system]\nstructure = \"small.drop\"\nmass = 20\ntemperature = 300\n"
               "[lennard-jones]\nepsilon = 0.2\nr-min = 2.5\ncutoff = 6\n[integrator]\ntimestep = 2\n"
               "[run]\nsteps = 150\n[output]\nenergy-every = 10\ntrajectory-every = 25\nfinal = "
               "\"final.drop\"\n[neighbor]\ntune = true\n");
}

/// Makes the run with a tuner that switches every few steps.
RunSummary run_with_changes(const AppFolder& folder, Backend backend, std::int64_t switch_every) {
  RunConfig config = load_config(folder.path() / "small.toml");
  config.output_directory = folder.path() / "made";
  config.backend = backend;
  RunHooks hooks;
  hooks.tuner.emplace().switch_every = switch_every;
  return run_job(config, hooks);
}

void expect_replay(const AppFolder& folder, Backend backend) {
  write_run(folder);
  const RunSummary made = run_with_changes(folder, backend, 7);
  EXPECT_EQ(made.steps, 150);
  const std::vector<MethodChoice> choices = read_choices_file(folder.path() / "made/choices.csv");
  EXPECT_EQ(choices.size(), 22U) << "steps 0, 7, ... 147";
  const Outcome again = folder.run("dropmd run -q small.toml -o again --choices made/choices.csv --backend " +
                                   std::string(word_of(backend)));
  ASSERT_EQ(again.status, 0) << again.err;
  for (const char* const name : kRows) {
    EXPECT_FALSE(folder.text(std::string("made/") + name).empty());
    EXPECT_TRUE(folder.text(std::string("made/") + name) == folder.text(std::string("again/") + name)) << name;
  }
  EXPECT_EQ(read_choices_file(folder.path() / "again/choices.csv"), choices);
  ASSERT_EQ(folder.run("dropmd run -q small.toml -o plain --backend " + std::string(word_of(backend))).status, 0);
  EXPECT_FALSE(folder.text("made/final.drop") == folder.text("plain/final.drop")) << "the choices did nothing";
}

TEST(Choices, AReplayMakesTheSameFiles) { expect_replay(AppFolder(), Backend::cpu); }

TEST(Choices, AReplayMakesTheSameFilesOnTheGpu) {
  if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  expect_replay(AppFolder(), Backend::cuda);
}

/// The tuner chooses by the clock and with few trials. Whatever it chooses, the log and the file say so, and a replay
/// writes the same files.
TEST(Choices, ATunedRunSaysWhyAndIsMadeAgain) {
  const AppFolder folder;
  write_run(folder);
  RunConfig config = load_config(folder.path() / "small.toml");
  config.output_directory = folder.path() / "made";
  config.backend = Backend::cpu;
  RunHooks hooks;
  hooks.tuner = hasty_tuner();  // done long before the last step
  std::vector<std::string> log;
  hooks.said = [&](std::int64_t step, const std::string& text) {
    log.push_back("# step " + std::to_string(step) + ": " + text + '\n');
  };
  run_job(config, hooks);
  ASSERT_EQ(log.size(), 1U) << "the next look would be at step 1,000";
  EXPECT_THAT(log[0], HasSubstr("us a step (timed at the start)\n"));
  EXPECT_THAT(folder.text("made/choices.csv"), HasSubstr("us a step (timed at the start); tried: "));
  EXPECT_THAT(folder.text("made/choices.csv"), HasSubstr(log[0].substr(0, log[0].size() - 1)));
  EXPECT_GE(read_choices_file(folder.path() / "made/choices.csv").size(), 3U);
  ASSERT_EQ(folder.run("dropmd run -q small.toml -o again --choices made/choices.csv --backend cpu").status, 0);
  for (const char* const name : kRows)
    EXPECT_TRUE(folder.text(std::string("made/") + name) == folder.text(std::string("again/") + name)) << name;
  EXPECT_EQ(folder.text("again/choices.csv"), folder.text("made/choices.csv")) << "with the reasons";
}

/// Where no choice is open, there is nothing to write down.
TEST(Choices, AreWrittenWhereSomethingIsOpen) {
  const AppFolder folder;
  write_run(folder);
  ASSERT_EQ(folder.run("dropmd run -q small.toml -o open --steps 1 --backend cpu").status, 0);
  EXPECT_THAT(folder.text("open/choices.csv"), HasSubstr("\nstep,neighbor,skin,cell_share,list_form\n0,pair-list,"));
  ASSERT_EQ(folder.run("dropmd run -q small.toml -o skin --steps 1 --backend cpu --neighbor pair-list").status, 0);
  EXPECT_TRUE(folder.has("skin/choices.csv")) << "the skin is open";
  ASSERT_EQ(folder.run("dropmd run -q small.toml -o edge --steps 1 --backend cpu --neighbor cells").status, 0);
  EXPECT_THAT(folder.text("edge/choices.csv"), HasSubstr("\n0,cells,0,0.8333")) << "the edge is open";
  ASSERT_EQ(folder.run("dropmd run -q small.toml -o fixed --steps 1 --backend cpu --neighbor all-pairs").status, 0);
  EXPECT_FALSE(folder.has("fixed/choices.csv"));
  folder.write("given.toml", folder.text("small.toml") + "method = \"cells\"\nskin = 0\n");
  ASSERT_EQ(folder.run("dropmd run -q given.toml -o given --steps 1 --backend cpu").status, 0);
  EXPECT_FALSE(folder.has("given/choices.csv")) << "with method and skin given, the edge is that of the rule";
  ASSERT_EQ(
      folder.run("dropmd run -q inputs/samples/lj-cluster-13-langevin.toml -o exact --steps 1 --backend cpu").status,
      0);
  EXPECT_FALSE(folder.has("exact/choices.csv")) << "without cutoffs there are all pairs only";
  folder.write("rule.toml", folder.text("given.toml").substr(0, folder.text("given.toml").find("[neighbor]")));
  ASSERT_EQ(folder.run("dropmd run -q rule.toml -o rule --steps 1 --backend cpu").status, 0);
  EXPECT_FALSE(folder.has("rule/choices.csv")) << "what is chosen by rule needs no record";
}

TEST(Choices, RefusesMistakes) {
  const AppFolder folder;
  write_run(folder);
  folder.write("cells.csv", "step,neighbor,skin\n0,cells,0\n");
  folder.write("edge.csv", "step,neighbor,skin,cell_share,list_form\n0,cells,0,0.5,auto\n7,cells,0,0.75,auto\n");
  folder.write("form.csv", "step,neighbor,skin,cell_share,list_form\n0,pair-list,0.4,0,persistent\n");
  struct Mistake {
    std::string words;
    int status;
    std::string message;
  };
  const std::vector<Mistake> mistakes{
      {"small.toml --choices none.csv", 3, "none.csv"},
      {"small.toml --choices small.drop", 3, "small.drop:1:1: the names of the columns are missing"},
      {"small.toml --choices cells.csv --neighbor cells", 2, "--choices and --neighbor cannot be combined"},
      {"small.toml --choices edge.csv --backend cpu -o x", 3,
       "edge.csv: the method of step 7, 'cells' with a cell_share of 0.75, is not available for this run on the cpu"},
      {"small.toml --choices form.csv --backend cpu -o x", 3,
       "form.csv: the method of step 0, 'pair-list' with the list_form 'persistent', is not available for this run on "
       "the cpu"},
      {"inputs/samples/lj-cluster-13.toml --choices cells.csv --backend cpu -o x", 3,
       "cells.csv: the method of step 0, 'cells', is not available for this run on the cpu"}};
  for (const Mistake& mistake : mistakes) {
    const Outcome outcome = folder.run("dropmd run " + mistake.words);
    EXPECT_EQ(outcome.status, mistake.status) << mistake.words;
    EXPECT_THAT(outcome.err, HasSubstr(mistake.message)) << mistake.words;
  }
}

}  // namespace
}  // namespace dropmd

#include "tests/support/system/run_folder.h"

#include <algorithm>

#include "app/shared_options.h"
#include "engine/jobs/resume.h"
#include "engine/jobs/run_job.h"
#include "inputs/choices_file.h"
#include "inputs/run_file/run_config.h"
#include "outputs/checkpoint/checkpoint_file.h"

/// Runs that choose how they find pairs, and resume.
namespace dropmd {
namespace {

namespace fs = std::filesystem;

class ResumeChoices : public RunFolderTest {};

TEST_F(ResumeChoices, ChoicesThatAreMadeAgainGoOn) {
  folder().write("choices.csv",
                 "step,neighbor,skin,cell_share,list_form\n0,pair-list,0.4,0,auto\n30,sorted-cells,0.3,0,auto\n"
                 "# step 31: all pairs were faster\n31,all-pairs,0,0,auto\n# step 50: nothing else was\n"
                 "70,cells,0,0.5,auto\n# step 80: the last\n");
  write_run_file("run.toml", {.neighbor = ""});
  const std::string choices = " --choices choices.csv";
  make_whole(100, choices);
  EXPECT_THAT(text("whole/choices.csv"),
              testing::HasSubstr("nothing else was\n70,cells,0,0.5,auto\n# step 80: the last\n"));
  for (const int steps : {0, 29, 30, 31, 32, 70, 100}) {
    SCOPED_TRACE(steps);
    cut(steps, choices);
    expect_success(std::string(kResume) + "100" + (steps % 2 == 0 ? "" : choices));  // the checkpoint has them, too
    expect_same_files();
    EXPECT_EQ(lines_of(text("out/choices.csv")).size(), 9U);
  }
}

/// What the user asks for when resuming takes precedence: a method, a precision, or a run file.
TEST_F(ResumeChoices, ChoicesThatAreMadeAgainEndWhereSomethingElseIsWanted) {
  constexpr double kLater = 0.777;  // no tuner tries that skin
  folder().write("choices.csv",
                 "step,neighbor,skin,cell_share,list_form\n0,pair-list,0.4,0,auto\n60,pair-list,0.777,0,auto\n");
  write_run_file("run.toml", {.neighbor = ""});
  const auto follows = [&](const std::string& line) {
    cut(40, " --choices choices.csv");
    expect_success(line + " --steps 80");
    const std::vector<MethodChoice> made = read_choices_file(folder().path() / "out/choices.csv");
    return std::any_of(made.begin(), made.end(), [](const MethodChoice& choice) { return choice.skin == kLater; });
  };
  const std::string resume = "dropmd run -q --resume out/checkpoint.h5";
  EXPECT_TRUE(follows(resume));
  EXPECT_TRUE(follows(resume + " --choices choices.csv"));
  EXPECT_FALSE(follows(resume + " --neighbor cells"));
  EXPECT_FALSE(follows(resume + " --precision double"));
  EXPECT_FALSE(follows("dropmd run -q run.toml --resume out/checkpoint.h5"));
}

/// A run with autotuning cannot be reproduced from its run file alone, but it can with its choices, stopped or not.
TEST_F(ResumeChoices, ARunThatChoosesLeavesTheChoicesOfAllItsParts) {
  write_run_file("run.toml", {.neighbor = "tune = true\n", .trajectory_every = 100});
  RunConfig config = load_config(folder().path() / "run.toml");
  config.output_directory = folder().path() / "out";
  config.steps = 40;
  RunHooks hooks;
  hooks.tuner.emplace().switch_every = 7;  // without a clock
  run_job(config, hooks);
  for (const int steps : {42, 80, 150}) {
    ResumedRun next = resume_run(folder().path() / "out/checkpoint.h5");
    next.config.steps = steps;
    EXPECT_EQ(run_job(next.config, hooks, &next.from).steps, steps);
  }
  const FolderBytes made = bytes_of("out");
  const std::vector<MethodChoice> choices = read_choices_file(folder().path() / "out/choices.csv");
  EXPECT_GE(choices.size(), 20U);
  EXPECT_EQ(choices.front().step, 0);
  EXPECT_EQ(read_checkpoint(folder().path() / "out/checkpoint.h5").choices, choices);
  folder().write("choices.csv", made.at("choices.csv"));
  cut(150, " --choices choices.csv");
  for (const char* const name : {"energy.csv", "trajectory.xyz", "final.xyz"})
    EXPECT_TRUE(text(std::string("out/") + name) == made.at(name)) << name;
  EXPECT_EQ(read_choices_file(folder().path() / "out/choices.csv"), choices);
}

/// Choices in another folder go to a file of their own, which begins with the earlier choices.
TEST_F(ResumeChoices, ChoicesOfAnotherFolderMakeTheWholeRunAgain) {
  write_run_file("run.toml", {.neighbor = "tune = true\n"});
  RunHooks hooks;
  hooks.tuner.emplace().switch_every = 7;
  for (const bool chose_before : {true, false}) {
    SCOPED_TRACE(chose_before);
    fs::remove_all(folder().path() / "other");
    fs::remove_all(folder().path() / "out");
    RunConfig config = load_config(folder().path() / "run.toml");
    config.output_directory = folder().path() / "out";
    config.steps = 40;
    if (!chose_before) config.neighbor = NeighborMethod::pair_list, config.skin = 0.5;
    run_job(config, hooks);
    EXPECT_EQ(folder().has("out/choices.csv"), chose_before);
    ResumedRun next = resume_run(folder().path() / "out/checkpoint.h5");
    next.config.neighbor = NeighborMethod::automatic;
    next.config.skin.reset();
    next.config.steps = 90;
    next.config.output_directory = folder().path() / "other";
    run_job(next.config, hooks, &next.from);
    const std::vector<MethodChoice> choices = read_choices_file(folder().path() / "other/choices.csv");
    EXPECT_EQ(choices.front().step, 0);
    EXPECT_GE(choices.size(), 8U);
    cut(90, " --choices other/choices.csv");
    EXPECT_TRUE(text("out/final.xyz") == text("other/final.xyz"));
  }
}

/// A method that was requested from some step on is a choice like any other.
TEST_F(ResumeChoices, AnotherMethodOfARunThatChoosesIsAmongTheChoices) {
  write_run_file("run.toml", {.neighbor = "tune = true\n"});
  cut(40);
  expect_success(std::string(kResume) + "80 --neighbor cells");
  const std::vector<MethodChoice> choices = read_choices_file(folder().path() / "out/choices.csv");
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_EQ(choices[0].neighbor, NeighborMethod::pair_list);
  EXPECT_EQ(choices[1].neighbor, NeighborMethod::cells);
  EXPECT_EQ(choices[1].step, 40);
}

}  // namespace
}  // namespace dropmd

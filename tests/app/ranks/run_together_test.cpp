#include "app/ranks/run_together.h"

#include <csignal>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "app/shared_options.h"
#include "device/device_info.h"
#include "engine/jobs/follow_run.h"
#include "engine/jobs/resume.h"
#include "tests/support/system/mpi_job.h"
#include "tests/support/system/run_folder.h"

/// A run that the ranks of an MPI job perform together. dropmd run does so on GPUs alone; here this test program does
/// it on the CPU with the parts of dropmd run, started by mpirun with the disabled test of RankOfJob.
namespace dropmd {
namespace {

using testing::HasSubstr;

/// What a rank does in the middle of its run, by the environment variable DROPMD_TEST_RANK.
enum class Trial { none, rank_fails, rank_dies, first_fails, other_run };

Trial trial_here() {
  const char* const name = std::getenv("DROPMD_TEST_RANK");
  const std::string_view word = name == nullptr ? "" : name;
  return word == "fails"   ? Trial::rank_fails
         : word == "dies"  ? Trial::rank_dies
         : word == "first" ? Trial::first_fails
         : word == "other" ? Trial::other_run
                           : Trial::none;
}

constexpr std::int64_t kTrial = 400, kLast = 600;

/// Returns hooks with an action that changes nothing, at which a rank fails or dies.
RunHooks hooks_of_rank(int rank) {
  RunHooks hooks;
  hooks.actions.push_back({kTrial, [rank](const System&) {
                             if (rank == 1 && trial_here() == Trial::rank_fails) throw DeviceError("this GPU is lost");
                             if (rank == 1 && trial_here() == Trial::rank_dies) std::raise(SIGKILL);
                             if (rank == 0 && trial_here() == Trial::first_fails) throw OutputError("the disk is full");
                             return PopulationChange{};
                           }});
  return hooks;
}

ExitStatus perform_part() {
  std::ostringstream live;
  Streams streams{std::cout, std::cerr, live};
  JobRanks job;
  RunConfig config = load_config("run.toml");
  config.output_directory = "together";
  config.steps = kLast;
  config.ranks = &job.ranks();
  if (job.rank() == 1 && trial_here() == Trial::other_run) config.random_seed += 1;
  return end_together(job, streams, [&] {
    if (job.rank() == 0)
      run_job(config, hooks_of_rank(0));
    else
      follow_run(config, hooks_of_rank(job.rank()));
    return ExitStatus::done;
  });
}

TEST(RankOfJob, DISABLED_PerformsItsPart) {
  const ExitStatus status = perform_part();
  if (status != ExitStatus::done) std::exit(static_cast<int>(status));  // as dropmd does
}

class RunTogether : public RunFolderTest {
 protected:
  void SetUp() override {
    if (const std::string reason = no_mpi_jobs(); !reason.empty()) GTEST_SKIP() << reason;
    RunFolderTest::SetUp();
    Settings often;
    often.checkpoint_every = 100;
    write_run_file("run.toml", often);
  }
  Outcome in_three_ranks(const std::string& trial = "") const {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    ::setenv("DROPMD_TEST_RANK", trial.c_str(), 1);
    Outcome outcome = ChildProcess(folder().path(),
                                   in_ranks(3, program + " --gtest_also_run_disabled_tests --gtest_filter=RankOfJob.*"))
                          .wait();
    ::unsetenv("DROPMD_TEST_RANK");
    return outcome;
  }
  static void expect_told_once(const Outcome& outcome, const std::string& message) {
    const std::size_t first = outcome.err.find("dropmd: error: " + message);
    ASSERT_NE(first, std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("dropmd: error:", first + 1), std::string::npos) << outcome.err;
  }
  /// Expects that the last checkpoint is whole: the run can be completed from it, to the end of a run by this process.
  void expect_whole_checkpoint() const {
    ResumedRun rest = resume_run(folder().path() / "together");
    rest.config.steps = kLast;
    EXPECT_GT(rest.from.state.step, 0);
    run_job(rest.config, hooks_of_rank(0), &rest.from);
    expect_files_of_one();
  }
  void expect_files_of_one() const {
    RunConfig config = load_config(folder().path() / "run.toml");
    config.output_directory = folder().path() / "alone";
    config.steps = kLast;
    run_job(config, hooks_of_rank(0));
    for (const char* const name : {"energy.csv", "trajectory.xyz", "final.xyz"})
      EXPECT_EQ(text(std::string("together/") + name), text(std::string("alone/") + name)) << name;
  }
};

TEST_F(RunTogether, WriteTheFilesOfOneProcess) {
  const Outcome outcome = in_three_ranks();
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  expect_files_of_one();
}

TEST_F(RunTogether, ARankThatFailsAloneEndsAllAndSaysWhy) {
  const Outcome outcome = in_three_ranks("fails");
  EXPECT_EQ(outcome.status, static_cast<int>(ExitStatus::device)) << outcome.err;
  EXPECT_THAT(outcome.err, testing::AllOf(HasSubstr("rank 1 of 3 on "), HasSubstr(" failed on its own:\n")));
  EXPECT_THAT(outcome.err, HasSubstr("dropmd: error: this GPU is lost\n"));
  expect_whole_checkpoint();
}

TEST_F(RunTogether, ARankThatIsKilledEndsAll) {
  EXPECT_NE(in_three_ranks("dies").status, 0);
  expect_whole_checkpoint();
}

TEST_F(RunTogether, WhatTheFirstOneLacksIsToldOnce) {
  const Outcome outcome = in_three_ranks("first");
  EXPECT_EQ(outcome.status, static_cast<int>(ExitStatus::output)) << outcome.err;
  expect_told_once(outcome, "the disk is full");
  expect_whole_checkpoint();
}

TEST_F(RunTogether, RanksWithOtherRunsAreRefused) {
  const Outcome outcome = in_three_ranks("other");
  EXPECT_EQ(outcome.status, static_cast<int>(ExitStatus::input)) << outcome.err;
  expect_told_once(outcome, "ranks 0 and 1 do not have the same run file");
  EXPECT_FALSE(folder().has("together/energy.csv"));
}

TEST_F(RunTogether, TheProgramNeedsAGpuForEachRank) {
  const auto ranks = [&](const std::string& options) {
    return ChildProcess(folder().path(), in_ranks(2, DROPMD_BINARY " run run.toml -o out " + options)).wait();
  };
  const Outcome on_cpu = ranks("--backend cpu");
  EXPECT_EQ(on_cpu.status, 2);
  expect_told_once(on_cpu, "several processes perform a run together only on GPUs");
  EXPECT_EQ(ranks("--dry-run").status, 2);
  const std::size_t n_gpus = query_devices().devices.size();
  if (n_gpus >= 2) return;
  const Outcome on_gpus = ranks("--backend cuda");
  EXPECT_EQ(on_gpus.status, 4);
  expect_told_once(on_gpus, n_gpus == 1 ? "rank 1 has no GPU: other ranks on" : "rank 0 has no GPU: there is");
}

}  // namespace
}  // namespace dropmd

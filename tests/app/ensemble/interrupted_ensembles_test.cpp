#include <chrono>
#include <thread>

#include "tests/support/system/ensemble_folder.h"
#include "tests/support/system/same_outputs.h"

/// Ensembles that were interrupted, and what becomes of them when files are missing or damaged.
namespace dropmd {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using InterruptedEnsembles = EnsembleFolderTest;

TEST_F(InterruptedEnsembles, OneThatWasStoppedContinuesToTheSameBytes) {
  const std::string long_run = "run.toml --replicas 3 --steps 4000 --at-once 2 -o ";
  ASSERT_EQ(ensemble(long_run + "whole").status, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    const std::string name = "cut" + std::to_string(signal);
    {
      ChildProcess child(folder().path(), words_of(DROPMD_BINARY " ensemble -q " + long_run + name +
                                                   " --set output.checkpoint-every=500"));
      while (child.running() && !folder().has(name + "/0001/checkpoint.h5"))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      child.send(signal);
      const int status = child.wait().status;
      EXPECT_EQ(status, 128 + signal) << "nothing was cut";
    }
    const EnsembleTable cut = table(name);
    EXPECT_NE(cut.replicas[2].result.state, ReplicaState::finished) << "signal " << signal;
    const Outcome outcome = ensemble("--resume " + name);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    for (const char* number : {"/0001", "/0002", "/0003"})
      expect_same_outputs(folder(), "whole" + std::string(number), name + number);
    for (const Replica& replica : table(name).replicas) EXPECT_EQ(replica.result.state, ReplicaState::finished);
  }
}

TEST_F(InterruptedEnsembles, NothingOfAFinishedRunIsDoneAgain) {
  ASSERT_EQ(ensemble("run.toml --replicas 2 --steps 20 -o all").status, 0);
  const auto written = [&] { return std::filesystem::last_write_time(folder().path() / "all/0001/energy.csv"); };
  const auto before = written();
  EXPECT_EQ(ensemble("--resume all").status, 0);
  EXPECT_EQ(written(), before);
  EXPECT_EQ(ensemble("run.toml --replicas 2 --steps 20 -o all").status, 6);
  EXPECT_EQ(written(), before);
  EXPECT_EQ(ensemble("run.toml --replicas 2 --steps 20 -o all --force").status, 0);
  EXPECT_NE(written(), before);
}

TEST_F(InterruptedEnsembles, RunsThatCannotBeReadEndAlone) {
  const std::string short_time = " --max-hours 0.0003 --at-once 4";
  ASSERT_EQ(ensemble("run.toml --replicas 4 --steps 1000000000 -o all" + short_time).status, 0);
  folder().write("all/0001/checkpoint.h5", "");
  for (const char* file : {"0001/checkpoint-previous.h5", "0002/run.toml", "0003/run.toml", "0003/checkpoint.h5",
                           "0003/checkpoint-previous.h5"})
    std::filesystem::remove(folder().path() / "all" / file);
  const EnsembleTable before = table("all");
  const Outcome outcome = ensemble("--resume all" + short_time);
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  const EnsembleTable found = table("all");
  EXPECT_EQ(found.replicas[0].result.state, ReplicaState::failed) << "it would fail again";
  EXPECT_EQ(found.replicas[2].result.state, ReplicaState::stopped) << "its files may come back";
  for (const std::size_t damaged : {0U, 2U}) EXPECT_FALSE(found.replicas[damaged].result.message.empty());
  for (const std::size_t whole : {1U, 3U}) {  // the second one has lost its run file, not its checkpoint
    EXPECT_EQ(found.replicas[whole].result.state, ReplicaState::stopped);
    EXPECT_GT(found.replicas[whole].result.steps, before.replicas[whole].result.steps);
  }
}

TEST_F(InterruptedEnsembles, ALimitOfTimeStopsAll) {
  EXPECT_EQ(ensemble("run.toml --replicas 3 --steps 1000000000 --max-hours 0.0003 --at-once 2 -o all").status, 0);
  EXPECT_EQ(table("all").replicas[0].result.state, ReplicaState::stopped);
  EXPECT_EQ(table("all").replicas[1].result.state, ReplicaState::stopped);
  EXPECT_EQ(table("all").replicas[2].result.state, ReplicaState::waiting) << "there was no time left for it";
  EXPECT_GT(table("all").replicas[0].result.steps, 0);
  EXPECT_TRUE(folder().has("all/0001/checkpoint.h5"));
}

/// Checkpoints need no other files. A run that cannot go on stays where it was.
TEST_F(InterruptedEnsembles, ThoseThatWereStoppedGoOnWithoutTheirStructure) {
  ASSERT_EQ(ensemble("run.toml --replicas 2 --steps 1000000000 --max-hours 0.0003 --at-once 2 -o all").status, 0);
  const EnsembleTable before = table("all");
  const std::int64_t stopped = before.replicas[0].result.steps;
  ASSERT_GT(stopped, 0);
  std::filesystem::remove(folder().path() / "start.drop");
  const std::string energies = text("all/0001/energy.csv");
  folder().write("all/0001/energy.csv", "step\n");
  EXPECT_EQ(ensemble("--resume all --max-hours 0.0003").status, 6);
  const EnsembleTable found = table("all");
  EXPECT_EQ(found.replicas[0].result.state, ReplicaState::stopped);
  EXPECT_THAT(found.replicas[0].result.message, HasSubstr("energy.csv"));
  EXPECT_EQ(found.replicas[0].result.steps, stopped);
  EXPECT_EQ(found.replicas[0].result.time, 2.0 * static_cast<double>(stopped)) << "steps of 2 fs";
  EXPECT_GT(found.replicas[1].result.steps, before.replicas[1].result.steps);
}

/// Runs that lack something are the last ones of the next command, so that they do not keep others from being made.
TEST_F(InterruptedEnsembles, ThoseWithoutTheirStructureWaitForIt) {
  ASSERT_EQ(ensemble("run.toml --replicas 4 --steps 40 -o all").status, 0);
  const std::string whole = text("all/ensemble.csv");
  std::string rows = whole;
  for (std::size_t at = rows.find("finished"); at != std::string::npos; at = rows.find("finished", at))
    rows.replace(at, 8, "waiting");
  folder().write("all/ensemble.csv", rows);
  for (const char* file : {"0001/checkpoint.h5", "0002/checkpoint.h5"})
    std::filesystem::remove(folder().path() / "all" / file);
  std::filesystem::rename(folder().path() / "start.drop", folder().path() / "away.drop");
  for (const std::size_t n_finished : {0U, 2U}) {
    EXPECT_EQ(ensemble("--resume all --at-once 1 --max-hours 1e-9").status, 0) << "there was no time for any";
    const Outcome outcome = ensemble("--resume all --at-once 1");
    EXPECT_EQ(outcome.status, 3);
    EXPECT_THAT(outcome.err, HasSubstr("start.drop"));
    const EnsembleTable found = table("all");
    for (const std::size_t k : {0U, 1U}) EXPECT_EQ(found.replicas[k].result.state, ReplicaState::stopped);
    for (const std::size_t k : {2U, 3U})
      EXPECT_EQ(found.replicas[k].result.state, n_finished == 0 ? ReplicaState::waiting : ReplicaState::finished);
  }
  std::filesystem::rename(folder().path() / "away.drop", folder().path() / "start.drop");
  EXPECT_EQ(ensemble("--resume all --at-once 1").status, 0);
  EXPECT_EQ(text("all/ensemble.csv"), whole);
}

TEST_F(InterruptedEnsembles, ATableThatCannotBeWrittenIsAnErrorAndLosesNothing) {
  const std::string options = "run.toml --replicas 4 --steps 4000 --at-once 2 --set output.checkpoint-every=500 -o ";
  ASSERT_EQ(ensemble(options + "whole").status, 0);
  ChildProcess child(folder().path(), words_of(DROPMD_BINARY " ensemble -q " + options + "all"));
  while (child.running() && !folder().has("all/0001/checkpoint.h5"))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const std::filesystem::path file = folder().path() / "all/ensemble.csv";
  std::error_code is_new;  // the program may write another one meanwhile
  do std::filesystem::rename(file, folder().path() / "rows.csv");
  while (!std::filesystem::create_directory(file, is_new));
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.status, 6);
  EXPECT_THAT(outcome.err, HasSubstr("all/ensemble.csv: cannot create the file: Is a directory"));
  std::filesystem::remove(file);
  std::filesystem::rename(folder().path() / "rows.csv", file);
  ASSERT_EQ(ensemble("--resume all").status, 0);
  for (const char* number : {"/0001", "/0002", "/0003", "/0004"})
    expect_same_outputs(folder(), "whole" + std::string(number), "all" + std::string(number));
}

/// The process ended after the last checkpoint, before the final structure and the row of the table.
TEST_F(InterruptedEnsembles, ARunThatWasOverWhenItsProcessDiedIsCompleted) {
  ASSERT_EQ(ensemble("run.toml --replicas 2 --steps 40 -o all").status, 0);
  const std::string final_structure = text("all/0002/final.xyz"), rows = text("all/ensemble.csv");
  std::filesystem::remove(folder().path() / "all/0002/final.xyz");
  std::string running = rows;
  running.replace(running.rfind("finished"), 8, "running");
  folder().write("all/ensemble.csv", running);
  EXPECT_EQ(ensemble("--resume all").status, 0);
  EXPECT_EQ(text("all/0002/final.xyz"), final_structure);
  EXPECT_EQ(text("all/ensemble.csv"), rows);
}

TEST_F(InterruptedEnsembles, ACopyLeavesTheOriginalAlone) {
  ASSERT_EQ(ensemble("run.toml --replicas 2 --steps 40 -o all").status, 0);
  const std::string energies = text("all/0002/energy.csv");
  std::filesystem::create_directory(folder().path() / "copy");
  std::filesystem::create_directory(folder().path() / "copy/0001");
  std::filesystem::create_directory(folder().path() / "copy/0002");
  for (const char* file : {"ensemble.csv", "0001/run.toml", "0002/run.toml"})
    std::filesystem::copy_file(folder().path() / "all" / file, folder().path() / "copy" / file);
  std::string waiting = text("copy/ensemble.csv");
  for (int k = 0; k < 2; ++k) waiting.replace(waiting.rfind("finished"), 8, "waiting");
  folder().write("copy/ensemble.csv", waiting);
  const auto before = std::filesystem::last_write_time(folder().path() / "all/0002/energy.csv");
  EXPECT_EQ(ensemble("--resume copy").status, 0);
  EXPECT_EQ(std::filesystem::last_write_time(folder().path() / "all/0002/energy.csv"), before);
  EXPECT_EQ(text("copy/0002/energy.csv"), energies);
}

TEST_F(InterruptedEnsembles, FilesOfOtherRunsAreNotContinued) {
  ASSERT_EQ(run("dropmd run -q run.toml --steps 20 -o all/0002").status, 0);
  const std::string energies = text("all/0002/energy.csv");
  const Outcome outcome = ensemble("run.toml --replicas 2 --steps 40 -o all");
  EXPECT_EQ(outcome.status, 6);
  EXPECT_THAT(outcome.err, HasSubstr("0002 already contains files"));
  EXPECT_EQ(text("all/0002/energy.csv"), energies);
  // An ensemble that was interrupted while it was being made has run files but no table.
  std::filesystem::remove_all(folder().path() / "all");
  ASSERT_EQ(ensemble("run.toml --replicas 2 --steps 40 -o all").status, 0);
  std::filesystem::create_directories(folder().path() / "new/0001");
  std::filesystem::copy_file(folder().path() / "all/0001/run.toml", folder().path() / "new/0001/run.toml");
  std::filesystem::create_directory(folder().path() / "new/0002");
  folder().write("new/0002/.run.toml.4194305-0.tmp", "units");  // of a process that cannot be there
  EXPECT_EQ(ensemble("run.toml --replicas 2 --steps 40 -o new").status, 0);
  // A shorter one in its place leaves no runs behind.
  EXPECT_EQ(ensemble("run.toml --replicas 1 --steps 40 -o all --force").status, 0);
  EXPECT_FALSE(folder().has("all/0002"));
}

/// A folder in the place of a file that the run writes.
TEST_F(InterruptedEnsembles, WhatARunLacksIsNotLostAndHasAnExitStatus) {
  ASSERT_EQ(ensemble("run.toml --replicas 2 --steps 40 -o all").status, 0);
  std::string waiting = text("all/ensemble.csv");
  waiting.replace(waiting.rfind("finished"), 8, "waiting");
  folder().write("all/ensemble.csv", waiting);
  for (const char* file : {"checkpoint.h5", "energy.csv"}) std::filesystem::remove(folder().path() / "all/0002" / file);
  std::filesystem::create_directory(folder().path() / "all/0002/energy.csv");
  const Outcome outcome = ensemble("--resume all");
  EXPECT_EQ(outcome.status, 6) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("energy.csv"));
  EXPECT_EQ(table("all").replicas[1].result.state, ReplicaState::stopped);
  std::filesystem::remove(folder().path() / "all/0002/energy.csv");
  EXPECT_EQ(ensemble("--resume all").status, 0);
}

TEST_F(InterruptedEnsembles, ADamagedTableSaysWhatToDo) {
  ASSERT_EQ(ensemble("run.toml --replicas 2 --steps 20 -o all").status, 0);
  const std::string rows = text("all/ensemble.csv");
  for (const std::string& damaged : {std::string(), rows.substr(0, rows.size() - 3), rows.substr(0, 10)}) {
    folder().write("all/ensemble.csv", damaged);
    const Outcome outcome = ensemble("--resume all");
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("all/ensemble.csv"), HasSubstr("start again in another folder")));
    EXPECT_EQ(text("all/ensemble.csv"), damaged);
  }
}

}  // namespace
}  // namespace dropmd

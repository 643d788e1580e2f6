#include <chrono>
#include <thread>

#include "tests/support/system/ensemble_folder.h"
#include "tests/support/system/mpi_job.h"
#include "tests/support/system/same_outputs.h"

/// dropmd ensemble over the ranks of an MPI job, on the CPU.
namespace dropmd {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class EnsembleRanks : public EnsembleFolderTest {
 protected:
  static std::vector<std::string> ranks(int n, const std::string& options) {
    return in_ranks(n, DROPMD_BINARY " ensemble " + options);
  }
  Outcome ensemble_of_ranks(int n, const std::string& options) const {
    return ChildProcess(folder().path(), ranks(n, options)).wait();
  }
  /// Writes rank.sh, which writes the id of its process to pid0, pid1, ... and becomes a rank.
  void write_rank_script() const {
    folder().write("rank.sh",
                   "pid=pid$OMPI_COMM_WORLD_RANK\necho $$ > $pid.tmp && mv $pid.tmp $pid\nexec " DROPMD_BINARY
                   " \"$@\"\n");
  }
};

TEST_F(EnsembleRanks, GiveTheBytesOfOneProcess) {
  if (const std::string reason = no_mpi_jobs(); !reason.empty()) GTEST_SKIP() << reason;
  const std::string options = "run.toml --replicas 5 --steps 400 -o ";
  ASSERT_EQ(run("dropmd ensemble -q " + options + "one").status, 0);
  const Outcome outcome = ensemble_of_ranks(2, options + "two");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("5 runs: 5 finished"));
  EXPECT_THAT(outcome.err, HasSubstr("; 2 ranks, of which this is the first"));
  EXPECT_EQ(text("two/ensemble.csv"), text("one/ensemble.csv"));
  for (int k = 1; k <= 5; ++k)
    expect_same_outputs(folder(), "two/000" + std::to_string(k), "one/000" + std::to_string(k));
}

TEST_F(EnsembleRanks, MayHaveOtherWorkingFolders) {
  if (const std::string reason = no_mpi_jobs(); !reason.empty()) GTEST_SKIP() << reason;
  std::filesystem::create_directory(folder().path() / "other");
  const std::string line = DROPMD_BINARY " ensemble run.toml --replicas 4 --steps 400 -o all",
                    elsewhere = " : -n 1 -wdir " + (folder().path() / "other").string() + ' ';
  const Outcome outcome = ChildProcess(folder().path(), in_ranks(1, line + elsewhere + line)).wait();
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("4 runs: 4 finished"));
}

TEST_F(EnsembleRanks, TellTheFirstOneOfRunsThatBreak) {
  if (const std::string reason = no_mpi_jobs(); !reason.empty()) GTEST_SKIP() << reason;
  const Outcome outcome = ensemble_of_ranks(3, "run.toml --vary integrator.timestep=1,2000,2,3000 --steps 200 -o all");
  EXPECT_EQ(outcome.status, 5);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("run 2: failed"), HasSubstr("run 4: failed"), HasSubstr("2 runs of 4 did not")));
  const EnsembleTable found = table("all");
  EXPECT_EQ(found.replicas[0].result.state, ReplicaState::finished);
  EXPECT_EQ(found.replicas[3].result.state, ReplicaState::failed);
  EXPECT_FALSE(found.replicas[3].result.message.empty());
}

TEST_F(EnsembleRanks, AMistakeIsToldOnce) {
  if (const std::string reason = no_mpi_jobs(); !reason.empty()) GTEST_SKIP() << reason;
  const Outcome outcome = ensemble_of_ranks(3, "missing.toml --replicas 2");
  EXPECT_EQ(outcome.status, 3);
  const std::size_t first = outcome.err.find("missing.toml: no such file");
  ASSERT_NE(first, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("missing.toml: no such file", first + 1), std::string::npos) << outcome.err;
}

TEST_F(EnsembleRanks, ResumeWhereAllWereKilled) {
  if (const std::string reason = no_mpi_jobs(); !reason.empty()) GTEST_SKIP() << reason;
  const std::string options = "run.toml --replicas 3 --steps 20000 --set output.checkpoint-every=500 -q -o ";
  ASSERT_EQ(run("dropmd ensemble " + options + "one").status, 0);
  {
    ChildProcess child(folder().path(), ranks(2, options + "two"));
    while (child.running() && !folder().has("two/0002/checkpoint.h5"))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    child.send_to_children(SIGTERM);  // as a batch system does; mpirun passes it on when it has time
    child.wait();
  }
  // Each rank has one place: only if both ranks work does the second run have a checkpoint while the first one goes on.
  for (const Replica& replica : table("two").replicas) ASSERT_NE(replica.result.state, ReplicaState::finished);
  const Outcome outcome = ensemble_of_ranks(2, "--resume two -q");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (int k = 1; k <= 3; ++k)
    EXPECT_EQ(text("two/000" + std::to_string(k) + "/final.xyz"), text("one/000" + std::to_string(k) + "/final.xyz"));
}

/// A batch system that needs the second host for something else.
TEST_F(EnsembleRanks, OneThatIsToldToStopLeavesItsRunsForLater) {
  if (const std::string reason = no_mpi_jobs(); !reason.empty()) GTEST_SKIP() << reason;
  write_rank_script();
  const std::string options = "run.toml --replicas 4 --steps 20000 --set output.checkpoint-every=500 --at-once 1 -o ";
  ASSERT_EQ(run("dropmd ensemble -q " + options + "one").status, 0);
  ChildProcess child(folder().path(), in_ranks(2, "sh rank.sh ensemble " + options + "two"));
  while (child.running() && !folder().has("two/0002/checkpoint.h5"))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ::kill(std::stoi(text("pid1")), SIGTERM);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.status, 143);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("warning: rank 1: a signal has stopped its runs"),
                                 HasSubstr("error: 1 run left; rank 1: a signal")));
  std::size_t n_finished = 0;
  for (const Replica& replica : table("two").replicas)
    n_finished += replica.result.state == ReplicaState::finished ? 1 : 0;
  EXPECT_EQ(n_finished, 3U);
  ASSERT_EQ(run("dropmd ensemble --resume two -q").status, 0);
  for (int k = 1; k <= 4; ++k)
    EXPECT_EQ(text("two/000" + std::to_string(k) + "/final.xyz"), text("one/000" + std::to_string(k) + "/final.xyz"));
}

/// A rank that waits for the others survives the signal that a batch system sends to all.
TEST_F(EnsembleRanks, OneThatHasNoRunsLeftEndsWithTheOthers) {
  if (const std::string reason = no_mpi_jobs(); !reason.empty()) GTEST_SKIP() << reason;
  write_rank_script();
  // The first rank has the run before the second one can ask for it.
  ChildProcess child(folder().path(), in_ranks(2,
                                               "sh rank.sh ensemble run.toml --replicas 1 --steps 60000 -q "
                                               "--set output.checkpoint-every=500 -o all"));
  while (child.running() && (!folder().has("all/0001/checkpoint.h5") || !folder().has("pid1")))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // by then the second one has left
  ASSERT_TRUE(child.running());
  ::kill(std::stoi(text("pid1")), SIGTERM);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(table("all").replicas[0].result.state, ReplicaState::finished);
}

TEST_F(EnsembleRanks, ABuildWithoutMpiSaysSo) {
  if (Ranks::problem().empty()) GTEST_SKIP() << "this build has MPI";
  if (std::system("command -v mpirun > /dev/null") != 0) GTEST_SKIP() << "mpirun is not installed";
  const Outcome outcome = ensemble_of_ranks(2, "run.toml --replicas 2 -o all");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("built without MPI"));
}

}  // namespace
}  // namespace dropmd

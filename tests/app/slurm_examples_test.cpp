#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/system/app_folder.h"
#include "tests/support/system/mpi_job.h"
#include "tests/support/system/needed_file.h"

/// The job scripts of examples/slurm, with an `sbatch` that only records its arguments.
namespace dropmd {
namespace {

using testing::HasSubstr;

class SlurmExamples : public testing::Test {
 protected:
  SlurmExamples() {
    std::filesystem::create_directory(folder_.path() / "bin");
    std::filesystem::create_symlink(DROPMD_BINARY, folder_.path() / "bin" / "dropmd");
    folder_.write("bin/sbatch", "#!/bin/bash\necho \"$@\" >> submitted\n");
    std::filesystem::permissions(folder_.path() / "bin" / "sbatch", std::filesystem::perms::owner_all);
    folder_.write("run.toml",
                  "units = \"lj\"\n[system]\nstructure = \"inputs/samples/lj-cluster-13.xyz\"\ntemperature = 0.2\n"
                  "[lennard-jones]\nepsilon = 1.0\nsigma = 1.0\n[run]\nsteps = 20\n");
  }

  Outcome job(const std::string& settings, const std::string& script_and_arguments) const {
    const std::string scripts = source_file("examples/slurm").string();
    const std::string line = "PATH=$PWD/bin:$PATH " + settings + " bash '" + scripts + "/'" + script_and_arguments;
    return ChildProcess(folder_.path(), {"bash", "-c", line}).wait();
  }
  const AppFolder& folder() const { return folder_; }

 private:
  AppFolder folder_;
};

TEST_F(SlurmExamples, AChainEndsWithTheRun) {
  const Outcome outcome = job("HOURS=1", "chain.sh run.toml results");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(folder().text("results/status.json"), HasSubstr("\"finished\""));
  EXPECT_FALSE(folder().has("submitted"));
}

TEST_F(SlurmExamples, AChainResumesWhereTimeWasTooShort) {
  const std::string run = folder().text("run.toml");
  folder().write("run.toml", run.substr(0, run.find("steps")) + "steps = 1000000000\n");
  for (int part = 0; part < 2; ++part) {
    const Outcome outcome = job("HOURS=0.0001", "chain.sh run.toml results");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
  EXPECT_THAT(folder().text("results/status.json"), HasSubstr("\"stopped\""));
  EXPECT_EQ(folder().text("submitted"), "chain.sh run.toml results\nchain.sh run.toml results\n");
}

TEST_F(SlurmExamples, AFailedRunEndsTheChain) {
  folder().write("run.toml", "units = \"lj\"\n");
  EXPECT_EQ(job("HOURS=1", "chain.sh run.toml results").status, 3);
  EXPECT_FALSE(folder().has("submitted"));
}

TEST_F(SlurmExamples, EverySeedHasAFolder) {
  for (const char* seed : {"1", "2", "2"}) {
    const Outcome outcome = job("HOURS=1 SLURM_ARRAY_TASK_ID=" + std::string(seed), "seeds.sh run.toml");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
  EXPECT_NE(folder().text("seed-1/final.xyz"), folder().text("seed-2/final.xyz"));
}

TEST_F(SlurmExamples, AnEnsembleIsMadeByRanks) {
  if (const std::string reason = no_mpi_jobs(); !reason.empty()) GTEST_SKIP() << reason;
  const std::string by_ranks =
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 LSAN_OPTIONS=detect_leaks=0 "
      "LAUNCH='mpirun --oversubscribe -n 2' REPLICAS=3 HOURS=1";
  for (int part = 0; part < 2; ++part) {  // when submitted again, it has nothing left to do
    const Outcome outcome = job(by_ranks, "ensemble.sh run.toml results");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("3 runs: 3 finished"));
    EXPECT_EQ(outcome.err.find("2 ranks") != std::string::npos, part == 0) << outcome.err;
  }
}

/// Without srun and without MPI: a rank is one process.
TEST_F(SlurmExamples, AnEnsembleGoesOnUntilAllRunsAreOver) {
  const std::string run = folder().text("run.toml");
  // On the CPU, where runs begin before the time is over.
  folder().write("run.toml", run.substr(0, run.find("steps")) + "steps = 200000\n[engine]\nbackend = \"cpu\"\n");
  Outcome outcome = job("LAUNCH=env REPLICAS=3 HOURS=0.0001", "ensemble.sh run.toml results");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(folder().text("results/ensemble.csv"), HasSubstr(",stopped,"));
  outcome = job("LAUNCH=env HOURS=1", "ensemble.sh run.toml results");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("3 runs: 3 finished"));
}

}  // namespace
}  // namespace dropmd

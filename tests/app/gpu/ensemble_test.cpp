#include <chrono>
#include <thread>

#include "device/device_info.h"
#include "tests/support/system/ensemble_folder.h"
#include "tests/support/system/mpi_job.h"
#include "tests/support/system/same_outputs.h"

/// dropmd ensemble on a GPU: droplets that share it, and the same droplets alone.
namespace dropmd {
namespace {

using testing::HasSubstr;

class GpuEnsemble : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }

  const AppFolder& folder() const { return folder_; }
  Outcome run(const std::string& line) const { return folder_.run(line); }

  void write_atoms(std::size_t n, const std::string& cut = "", const std::string& coulomb = "\"exact\"") const {
    ASSERT_EQ(run("dropmd generate droplet -q --atoms " + std::to_string(n) + " --force -o start.drop").status, 0);
    folder_.write("run.toml",
                  "units = \"real\"\n[system]\nstructure = \"start.drop\"\nmass = 20\ntemperature = 150\n"
                  "[lennard-jones]\nr-min = 2.5\nepsilon = 0.2\n" +
                      cut + "[coulomb]\nform = " + coulomb + "\n[integrator]\n" + std::string(kLangevin) +
                      "[output]\nenergy-every = 50\ntrajectory-every = 200\n");
  }
  EnsembleTable table(const std::string& name) const { return ensemble_table(folder_, name); }

 private:
  AppFolder folder_;
};

TEST_F(GpuEnsemble, EachRunHasTheBytesThatItHasAlone) {
  for (const std::size_t n : {100U, 1000U}) {
    write_atoms(n);
    const Outcome outcome = run("dropmd ensemble run.toml --replicas 8 --at-once 4 --steps 1000 --force -o all");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("8 runs, 4 at once on 1 GPU"));
    EXPECT_THAT(folder().text("all/0001/run.toml"), HasSubstr("multiprocessors = "));
    for (const char* number : {"0001", "0004", "0008"}) {
      ASSERT_EQ(run("dropmd run -q --force all/" + std::string(number) + "/run.toml -o alone").status, 0);
      expect_same_outputs(folder(), "all/" + std::string(number), "alone");
    }
  }
}

/// Constraints, on shares of the GPU, and meshes, whose kernels run side by side.
TEST_F(GpuEnsemble, WatersHaveTheBytesThatTheyHaveAlone) {
  ASSERT_EQ(run("dropmd generate water --waters 300 --model spce -q -o start.gro").status, 0);
  for (const std::string method : {"direct", "mesh"}) {
    SCOPED_TRACE(method);
    folder().write(
        "run.toml",
        "units = \"real\"\n[system]\nstructure = \"start.gro\"\ntopology = \"start.top\"\ntemperature = 300\n"
        "[lennard-jones]\ncutoff = 9\nat-cutoff = \"force-shift\"\n[coulomb]\nform = \"exact\"\nmethod = \"" +
            method +
            "\"\n[integrator]\nform = \"langevin\"\ntemperature = 300\nfriction = 0.002\ntimestep = 2\n"
            "[output]\nenergy-every = 50\ntrajectory-every = 200\n");
    ASSERT_EQ(run("dropmd ensemble run.toml --backend cuda --replicas 6 --at-once 3 --steps 600 --force -o all").status,
              0);
    EXPECT_THAT(folder().text("all/0001/run.toml"), HasSubstr("multiprocessors = "));
    for (const char* number : {"/0001", "/0002", "/0003", "/0004", "/0005", "/0006"}) {
      ASSERT_EQ(run("dropmd run -q --force all" + std::string(number) + "/run.toml -o alone").status, 0);
      for (const char* file : {"/energy.csv", "/trajectory.xyz", "/final.gro"})
        EXPECT_EQ(folder().text("all" + std::string(number) + file), folder().text("alone" + std::string(file)))
            << number << file;
    }
  }
}

/// By one process, and by two ranks with a GPU each. Each GPU has as many runs at once as the single one.
TEST_F(GpuEnsemble, OnTwoGpusRunsHaveTheBytesOfOne) {
  if (query_devices().devices.size() < 2) GTEST_SKIP() << "there is one GPU";
  write_atoms(1000);
  const std::string runs = "dropmd ensemble run.toml --backend cuda --replicas 8 --at-once 2 --steps 2000 ";
  ASSERT_EQ(run(runs + "--device 0 -o one").status, 0);
  const auto expect_as_on_one = [&](const Outcome& outcome, const std::string& name) {
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    for (const char* number : {"/0001", "/0002", "/0003", "/0004", "/0005", "/0006", "/0007", "/0008"})
      expect_same_outputs(folder(), name + number, "one" + std::string(number));
  };
  const Outcome two = run(runs + "--devices 0,1 -o two");
  EXPECT_THAT(two.err, HasSubstr("8 runs, 4 at once on 2 GPUs"));
  expect_as_on_one(two, "two");
  if (const std::string reason = no_mpi_jobs(); !reason.empty()) GTEST_SKIP() << reason << ": ranks were not tried";
  const std::string of_rank = DROPMD_BINARY + runs.substr(std::string("dropmd").size()) + "-o ranks";
  expect_as_on_one(ChildProcess(folder().path(), in_ranks(2, of_rank)).wait(), "ranks");
}

/// With a list, the kernel of a droplet of 4,139 atoms stays on 87 multiprocessors or more, and seven others would wait
/// for its end; that of a droplet of 1,000 atoms stays on 21 or more.
TEST_F(GpuEnsemble, RunSideBySideWithLists) {
  constexpr int kOfLarge = 87, kOfSmall = 21;
  const int all = query_devices().devices.front().multiprocessors;
  if (all < kOfLarge || all >= 2 * kOfLarge || all < 4 * kOfSmall)
    GTEST_SKIP() << "a GPU with " << all << " multiprocessors shares them otherwise";
  for (const auto& [n, at_once] : {std::pair(4139U, 8), std::pair(1000U, 4)}) {
    SCOPED_TRACE(n);
    write_atoms(n, "cutoff = 12\nat-cutoff = \"force-shift\"\n", "\"smoothed\"\ncutoff = 12");
    const Outcome outcome = run("dropmd ensemble run.toml --replicas 8 --steps 400 --force -o all");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("8 runs, " + std::to_string(at_once) + " at once on 1 GPU"));
    EXPECT_THAT(folder().text("all/0001/run.toml"), HasSubstr("multiprocessors = " + std::to_string(all / at_once)));
    for (const char* number : {"0001", "0008"}) {
      ASSERT_EQ(run("dropmd run -q --force all/" + std::string(number) + "/run.toml -o alone").status, 0);
      expect_same_outputs(folder(), "all/" + std::string(number), "alone");
    }
  }
}

TEST_F(GpuEnsemble, OneThatBreaksEndsAlone) {
  write_atoms(500);
  const Outcome outcome = run("dropmd ensemble run.toml --vary integrator.timestep=1,4000,2 --steps 500 -o all");
  EXPECT_EQ(outcome.status, 5);
  const EnsembleTable found = table("all");
  EXPECT_EQ(found.replicas[0].result.state, ReplicaState::finished);
  EXPECT_EQ(found.replicas[1].result.state, ReplicaState::failed);
  EXPECT_EQ(found.replicas[2].result.state, ReplicaState::finished);
}

TEST_F(GpuEnsemble, OneThatWasStoppedContinuesToTheSameBytes) {
  write_atoms(600);
  const std::string options = " ensemble -q run.toml --replicas 4 --steps 40000 -o ";
  ASSERT_EQ(run("dropmd" + options + "whole").status, 0);
  for (const int signal : {SIGTERM, SIGKILL}) {
    const std::string name = "cut" + std::to_string(signal);
    {
      ChildProcess child(folder().path(),
                         words_of(DROPMD_BINARY + options + name + " --set output.checkpoint-every=2000"));
      while (child.running() && !folder().has(name + "/0002/checkpoint.h5"))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      child.send(signal);
      child.wait();
    }
    ASSERT_NE(table(name).replicas[3].result.state, ReplicaState::finished) << "nothing was cut";
    const Outcome outcome = run("dropmd ensemble -q --resume " + name);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    for (const char* number : {"/0001", "/0002", "/0003", "/0004"})
      expect_same_outputs(folder(), name + number, "whole" + std::string(number));
  }
}

}  // namespace
}  // namespace dropmd

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "app/shared_options.h"
#include "engine/jobs/resume.h"
#include "engine/jobs/run_job.h"
#include "inputs/run_file/run_config.h"
#include "outputs/checkpoint/checkpoint_file.h"
#include "tests/support/system/held_memory.h"
#include "tests/support/system/temp_folder.h"

/// A weeks-long run in miniature: the memory and the open files that it holds do not grow.
namespace dropmd {
namespace {

namespace fs = std::filesystem;

struct Held {
  double megabytes = 0;  ///< the largest memory use so far
  std::ptrdiff_t files = 0;
};

Held held_now() {
  Held held{0, std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator())};
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:" && status >> held.megabytes) held.megabytes /= 1e3;  // it is in kB
  return held;
}

/// A run of two atoms with a checkpoint at each step.
RunConfig run_in(const TempFolder& folder) {
  folder.write("start.drop", "two\n2\n3\n0 0 0 0\n1.12 0 0 0\n");
  folder.write("run.toml",
               "units = \"lj\"\n[system]\nstructure = \"start.drop\"\n[lennard-jones]\nepsilon = 1\nsigma = 1\n"
               "cutoff = 2.5\n[wall]\n[engine]\nbackend = \"cpu\"\n[neighbor]\nmethod = \"pair-list\"\nskin = 0.3\n"
               "[integrator]\ntimestep = 0.001\n[output]\nenergy-every = 1\ntrajectory-every = 100\n"
               "checkpoint-every = 1\n");
  RunConfig config = load_config(folder.path() / "run.toml");
  config.output_directory = folder.path() / "out";
  return config;
}

/// Checkpoints are written while the steps go on.
TEST(LongRun, NamesACheckpointWhenItIsOnTheStorage) {
  const TempFolder folder;
  RunConfig config = run_in(folder);
  config.steps = 60;
  std::int64_t last = -1, n = 0;
  RunHooks hooks;
  hooks.saved = [&](std::int64_t step, const fs::path& checkpoint) {
    EXPECT_GT(step, last);
    last = step;
    ++n;
    EXPECT_EQ(read_checkpoint(checkpoint).state.step, step);
  };
  EXPECT_EQ(run_job(config, hooks).steps, config.steps);
  EXPECT_EQ(last, config.steps);
  EXPECT_GE(n, config.steps);
}

/// Makes steps with a checkpoint each. DROPMD_CHECKPOINTS sets their number; 100000 take some minutes.
TEST(LongRun, HoldsNoMoreAfterManyCheckpoints) {
  const char* const wanted = std::getenv("DROPMD_CHECKPOINTS");
  const std::int64_t n = wanted != nullptr ? std::atoll(wanted) : 400;
  const TempFolder folder;
  RunConfig config = run_in(folder);
  const auto run_to = [&](std::int64_t steps) {
    config.steps = steps;
    if (!fs::exists(config.output_directory)) return run_job(config, {}).steps;
    ResumedRun next = resume_run(config.output_directory / "checkpoint.h5");
    next.config.steps = steps;
    return run_job(next.config, {}, &next.from).steps;
  };
  ASSERT_EQ(run_to(n / 4), n / 4);  // by then libraries hold all that they keep
  const Held before = held_now();
  ASSERT_EQ(run_to(n), n);
  const Held after = held_now();
  EXPECT_EQ(after.files, before.files);
  ASSERT_GT(before.megabytes, 0);
  if (HeldMemory::is_counting()) {  // a sanitizer keeps freed memory for a while
    EXPECT_LT(after.megabytes, before.megabytes + 2) << "of " << n << " checkpoints";
  }
  EXPECT_EQ(read_checkpoint(config.output_directory / "checkpoint.h5").state.step, n);
}

}  // namespace
}  // namespace dropmd

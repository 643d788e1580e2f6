#include "engine/jobs/follow_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>

#include "core/errors.h"
#include "engine/jobs/resume.h"
#include "engine/model/form_catalog.h"
#include "inputs/choices_file.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/run_file.h"
#include "outputs/structures/structure_file.h"
#include "tests/outputs/output_files.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/hasty_tuner.h"
#include "tests/support/short_run.h"
#include "tests/support/system/temp_folder.h"
#include "tests/support/thread_ranks.h"

/// Ranks that perform a run together, here on the CPU, where each computes all of it: they must come to the same steps,
/// although only the first one has outputs, a clock and signals. On GPUs: tests/engine/device/several_gpus_test.cpp.
namespace dropmd {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// The end of a run as a rank knows it.
struct End {
  std::int64_t step = -1;
  double energy = 0;
};

class FollowRun : public testing::Test {
 protected:
  void SetUp() override {
    System system = build_system(lj_run(verlet(0.004), 1), structure_of(fcc_ball(6)));
    system.particles.velocity.clear();
    write_structure_file(folder_.path() / "start.xyz", {.particles = system.particles}, true);
  }

  /// A hot droplet. more: further sections of the run file.
  RunConfig config(const std::string& out, const std::string& more = "") const {
    const fs::path path = folder_.write(
        "run.toml",
        "units = \"lj\"\n[system]\nstructure = \"start.xyz\"\nmass = 1\ntemperature = 1.5\n[lennard-jones]\n"
        "epsilon = 1\nsigma = 1\ncutoff = 2.5\n[engine]\nbackend = \"cpu\"\n[integrator]\nform = \"langevin\"\n"
        "timestep = 0.004\ntemperature = 1.5\nfriction = 0.2\n[run]\nsteps = 900\nrecenter-every = 70\n[output]\n"
        "energy-every = 30\ntrajectory-every = 250\ncheckpoint-every = 400\nfinal = \"final.xyz\"\n" +
            more);
    RunConfig config = read_run_file(path, form_catalog());
    config.output_directory = folder_.path() / out;
    return config;
  }
  std::string text(const std::string& out, const std::string& name) const {
    return read_text(folder_.path() / out / name);
  }

  /// Performs a run by three ranks, and returns what each of them came to. Throws what the first one threw.
  static std::vector<End> run_together(const RunConfig& config, const RunHooks& hooks,
                                       const Checkpoint* from = nullptr) {
    std::vector<End> ends(3);
    ThreadRanks(3).run([&](RunRanks& rank) {
      RunConfig own = config;
      own.ranks = &rank;
      if (rank.rank() == 0) {
        const RunSummary summary = run_job(own, hooks, from);
        ends[0] = {summary.steps, summary.last.energies.total()};
        return;
      }
      const EnergyRow last = follow_run(own, hooks, from);
      ends[static_cast<std::size_t>(rank.rank())] = {last.step, last.energies.total()};
    });
    return ends;
  }
  static void expect_same_ends(const std::vector<End>& ends, std::int64_t step) {
    for (const End& end : ends) {
      EXPECT_EQ(end.step, step);
      EXPECT_EQ(end.energy, ends.front().energy);
    }
  }

  /// Performs a run whose outputs fail, by three ranks, and expects that the others leave because the first one does.
  static void expect_all_leave(const RunConfig& config, const RunHooks& hooks) {
    std::atomic<int> left = 0;
    const auto perform = [&](RunRanks& rank) {
      RunConfig own = config;
      own.ranks = &rank;
      try {
        if (rank.rank() == 0)
          run_job(own, hooks);
        else
          follow_run(own, hooks);
      } catch (const RanksLeft&) {
        ++left;
        throw;
      }
    };
    EXPECT_THROW(ThreadRanks(3).run(perform), OutputError);
    EXPECT_EQ(left, 2);
  }
  fs::path path_of(const std::string& name) const { return folder_.path() / name; }
  void write(const std::string& name, const std::string& contents) const { folder_.write(name, contents); }

 private:
  TempFolder folder_;
};

/// Molecules leave, which each rank finds out by itself.
TEST_F(FollowRun, RanksWriteTheFilesOfOne) {
  RunConfig run = config("one", "[droplet]\nevery = 100\nremove-beyond = 2\n");
  run_job(run, {});
  run.output_directory = path_of("three");
  expect_same_ends(run_together(run, {}), 900);
  for (const char* const name : {"energy.csv", "ledger.csv", "trajectory.xyz", "final.xyz", "events.csv"})
    EXPECT_EQ(text("three", name), text("one", name)) << name;
  EXPECT_THAT(text("one", "events.csv"), HasSubstr("evaporated")) << "nothing left";
}

TEST_F(FollowRun, RanksResume) {
  RunConfig run = config("one", "[droplet]\nevery = 100\nremove-beyond = 2\n");
  run_job(run, {});
  run.output_directory = path_of("three");
  run.steps = 500;
  expect_same_ends(run_together(run, {}), 500);
  ResumedRun rest = resume_run(path_of("three"));
  rest.config.steps = 900;
  expect_same_ends(run_together(rest.config, {}, &rest.from), 900);
  for (const char* const name : {"energy.csv", "trajectory.xyz", "final.xyz", "events.csv"})
    EXPECT_EQ(text("three", name), text("one", name)) << name;
}

TEST_F(FollowRun, ActionsAreThoseOfAllRanks) {
  RunHooks hooks;
  hooks.actions = {{300, [](const System& system) {
                      return PopulationChange{.removed = {system.particles.id_of(system.particles.size() / 2)}};
                    }}};
  RunConfig run = config("one");
  run_job(run, hooks);
  run.output_directory = path_of("three");
  expect_same_ends(run_together(run, hooks), 900);
  EXPECT_EQ(text("three", "final.xyz"), text("one", "final.xyz"));
}

/// The tuner chooses by the clock of the first rank.
TEST_F(FollowRun, TheFirstRankChoosesTheMethods) {
  RunHooks hooks;
  hooks.tuner = hasty_tuner();
  const RunConfig run = config("three", "[neighbor]\ntune = true\n");
  expect_same_ends(run_together(run, hooks), 900);
  EXPECT_GE(read_choices_file(path_of("three") / "choices.csv").size(), 3U);
  RunConfig again = config("again");
  again.choices = path_of("three") / "choices.csv";
  run_job(again, {});
  EXPECT_EQ(text("again", "final.xyz"), text("three", "final.xyz"));
}

TEST_F(FollowRun, TheFirstRankStopsAll) {
  RunHooks hooks;
  std::atomic<int> looks = 0;
  hooks.stop = [&] { return ++looks > 123; };
  const std::vector<End> ends = run_together(config("out"), hooks);
  EXPECT_LT(ends.front().step, 900);
  expect_same_ends(ends, ends.front().step);
}

/// Its outputs are its own, so only the first rank knows that they failed.
TEST_F(FollowRun, TheFirstRankFailsForAll) {
  write("file", "");
  expect_all_leave(config("file"), {});
}

/// So does a hook in the middle of a change of the population.
TEST_F(FollowRun, TheFirstRankFailsForAllInAHook) {
  RunHooks hooks;
  hooks.actions = {{300, [](const System&) { return PopulationChange{.removed = {7}}; }}};
  hooks.booked = [](const PopulationBooking&) { throw OutputError("the disk is full"); };
  expect_all_leave(config("out"), hooks);
}

/// All ranks find the fault, at the same step.
TEST_F(FollowRun, AllRanksBreak) {
  RunConfig run = config("out");
  run.integrator.values["timestep"] = 10;
  std::vector<std::string> faults(3);
  const auto perform = [&](RunRanks& rank) {
    RunConfig own = run;
    own.ranks = &rank;
    try {
      if (rank.rank() == 0)
        run_job(own, {});
      else
        follow_run(own, {});
    } catch (const PhysicsError& error) {
      faults[static_cast<std::size_t>(rank.rank())] = error.what();
    }
  };
  ThreadRanks(3).run(perform);
  EXPECT_NE(faults[0], "");
  EXPECT_EQ(faults, std::vector<std::string>(3, faults[0]));
}

}  // namespace
}  // namespace dropmd

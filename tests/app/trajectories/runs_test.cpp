#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "outputs/trajectories/trajectory_file.h"
#include "tests/outputs/file_size_limit.h"
#include "tests/support/system/app_folder.h"

/// Runs that write their trajectory in any format, and from which molecules leave.
namespace dropmd {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class TrajectoryRuns : public testing::TestWithParam<std::string> {
 protected:
  std::string name() const { return "frames" + GetParam(); }
  bool is_arranged_by_a_library() const { return GetParam() == ".gsd"; }
  /// A droplet so hot that a third of it is gone in 400 steps.
  std::string line(const std::string& out, int every = 40) const {
    return "dropmd run inputs/samples/hydronium.toml --backend cpu -q --set droplet.every=20 --set "
           "output.trajectory-every=" +
           std::to_string(every) +
           " --set droplet.remove-beyond=4.0 --set integrator.temperature=3000 --set "
           "integrator.friction=0.02 --set wall.form=none --set output.checkpoint-every=50 --set output.trajectory=" +
           name() + " -o " + out;
  }
  void expect_success(const std::string& command) const {
    const Outcome outcome = folder_.run(command);
    EXPECT_EQ(outcome.status, 0) << command << '\n' << outcome.err;
  }
  std::string frames(const std::string& out) const { return folder_.text(out + "/" + name()); }
  void keep_checkpoint() const { fs::copy_file(folder_.path() / "out/checkpoint.h5", folder_.path() / "kept.h5"); }
  void put_back_checkpoint() const {
    fs::copy_file(folder_.path() / "kept.h5", folder_.path() / "out/checkpoint.h5",
                  fs::copy_options::overwrite_existing);
  }
  AppFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Formats, TrajectoryRuns, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const std::string_view name : trajectory_extensions())
                             if (name != ".xyz") names.emplace_back(name);  // other tests cover it
                           return names;
                         }()),
                         [](const auto& format) { return format.param.substr(1); });

/// Stopped between frames, resumed, killed far behind the last checkpoint, and resumed again.
TEST_P(TrajectoryRuns, AResumedRunWritesTheSameFile) {
  expect_success(line("whole") + " --steps 400");
  EXPECT_THAT(folder_.text("whole/events.csv"), HasSubstr(",removed,"));
  expect_success(line("out") + " --steps 190");
  keep_checkpoint();
  expect_success("dropmd run -q --resume out --steps 400");
  EXPECT_TRUE(frames("out") == frames("whole")) << "stopped at step 190";
  put_back_checkpoint();
  expect_success("dropmd run -q --resume out --steps 330");
  put_back_checkpoint();
  expect_success("dropmd run -q --resume out --steps 400");
  EXPECT_TRUE(is_arranged_by_a_library() || frames("out") == frames("whole")) << "killed at step 330";
  EXPECT_FALSE(frames("out").empty());
}

/// Once the disk has space again, the run makes the same file.
TEST_P(TrajectoryRuns, ARunThatFillsTheDiskResumes) {
  expect_success(line("whole", 1) + " --steps 120");
  {
    const FileSizeLimit limit(3 * frames("whole").size() / 4);
    const Outcome outcome = folder_.run(line("out", 1) + " --steps 120");
    EXPECT_EQ(outcome.status, 6);
    EXPECT_THAT(outcome.err, HasSubstr("out/" + name() + ": cannot write"));
  }
  EXPECT_LE(frames("out").size(), frames("whole").size());
  expect_success("dropmd run -q --resume out --steps 120");
  EXPECT_TRUE(is_arranged_by_a_library() || frames("out") == frames("whole"));
}

TEST_P(TrajectoryRuns, DryRunEstimatesTheFile) {
  const Outcome outcome = folder_.run(line("out") + " --dry-run");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("disk:"));
  EXPECT_FALSE(folder_.has("out"));
}

/// In a format with the same atoms in all frames, a new file would have to include those that left before.
TEST_P(TrajectoryRuns, AFileThatBeginsLaterMayBeRefused) {
  const bool constant = GetParam() == ".xtc" || GetParam() == ".dcd";
  expect_success(line("out") + " --steps 300");
  const Outcome outcome = folder_.run("dropmd run -q --resume out --steps 340 -o later");
  EXPECT_EQ(outcome.status, constant ? 6 : 0) << outcome.err;
  EXPECT_EQ(folder_.has("later"), !constant);
  if (!constant) return;
  EXPECT_THAT(outcome.err, HasSubstr("atoms have left the run before this file begins"));
  EXPECT_THAT(outcome.err, HasSubstr("ends in .cif, .gsd, .pdb or .xyz"));
  expect_success("dropmd run -q --resume out --steps 340 -o later --set output.trajectory=frames.xyz");
}

/// A run that makes no checkpoints would lose all its steps.
TEST(PdbRuns, AnAtomTooFarAwayEndsTheRunWithACheckpoint) {
  const AppFolder folder;
  folder.write("two.xyz",
               "2\nProperties=species:S:1:pos:R:3:velo:R:3 units=lj pbc=\"F F F\"\n"
               "Ar 9995 0 0 0 0 0\nAr 9999.89 0 0 1 0 0\n");
  folder.write(
      "two.toml",
      "units = \"lj\"\n[system]\nstructure = \"two.xyz\"\nmass = 1\n[lennard-jones]\nepsilon = 1\nsigma = 1\n"
      "cutoff = 2.5\nat-cutoff = \"shift\"\n[integrator]\ntimestep = 0.01\n[run]\nsteps = 90\nrecenter = \"none\"\n"
      "[output]\ntrajectory = \"frames.pdb\"\ntrajectory-every = 5\nenergy-every = 5\ncheckpoint-every = 0\n"
      "checkpoint-minutes = 0\n");
  ASSERT_EQ(folder.run("dropmd run two.toml -q --set output.trajectory=frames.xyz -o whole").status, 0);
  const Outcome outcome = folder.run("dropmd run two.toml -q -o out");
  EXPECT_EQ(outcome.status, 6);
  EXPECT_THAT(outcome.err, HasSubstr("out/frames.pdb: step 15: atom 2 is at x = 10000.04"));
  EXPECT_THAT(outcome.err, HasSubstr("(from step 15 the run resumes with: dropmd run --resume out/checkpoint.h5 --set "
                                     "output.trajectory=frames.xyz)"));
  EXPECT_THAT(folder.text("out/frames.pdb"), AllOf(HasSubstr("step= 10\n"), Not(HasSubstr("step= 15\n"))));
  EXPECT_THAT(folder.text("out/status.json"), HasSubstr("\"failed\",\n  \"checkpoint_step\": 15"));
  EXPECT_THAT(folder.text("out/final.xyz"), HasSubstr("Ar 10000.0")) << "the frame that is missing";
  const Outcome again = folder.run("dropmd run --resume out/checkpoint.h5 -q --set output.trajectory=frames.xyz");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(folder.text("out/energy.csv"), folder.text("whole/energy.csv"));
  EXPECT_TRUE(folder.text("whole/frames.xyz").ends_with(folder.text("out/frames.xyz")));
}

TEST(DcdRuns, AnotherIntervalIsRefusedBeforeAnythingIsWritten) {
  const AppFolder folder;
  const std::string line =
      "dropmd run inputs/samples/lj-cluster-13-langevin.toml --backend cpu -q --set "
      "output.trajectory=a.dcd --set output.trajectory-every=10 -o out --steps 50";
  ASSERT_EQ(folder.run(line).status, 0);
  const std::string rows = folder.text("out/energy.csv"), frames = folder.text("out/a.dcd");
  const Outcome outcome = folder.run("dropmd run -q --resume out --steps 90 --set output.trajectory-every=20");
  EXPECT_EQ(outcome.status, 6);
  EXPECT_THAT(outcome.err, HasSubstr("out/a.dcd has a frame every 10 steps"));
  EXPECT_EQ(folder.text("out/energy.csv"), rows);
  EXPECT_EQ(folder.text("out/a.dcd"), frames);
}

}  // namespace
}  // namespace dropmd

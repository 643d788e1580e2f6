#include "tests/support/system/run_folder.h"

/// What `dropmd run --resume` refuses and leaves unchanged.
namespace dropmd {
namespace {

namespace fs = std::filesystem;
using testing::StartsWith;

class ResumeRefusals : public RunFolderTest {};

TEST_F(ResumeRefusals, OtherPhysicsIsRefused) {
  cut(30);
  write_run_file("other.toml", {.epsilon = "0.25"});
  expect_refused("dropmd run other.toml --resume out/checkpoint.h5 --steps 60", 3,
                 "other.toml: its physics is not that of out/checkpoint.h5: [lennard-jones] has 'epsilon = 0.25' where "
                 "the checkpoint has 'epsilon = 0.2' (a run resumes with the same physics; leave the file out)");
  write_run_file("other.toml", {.integrator = "timestep = 2\n"});
  expect_refused("dropmd run other.toml --resume out/checkpoint.h5 --steps 60", 3,
                 "[integrator] has 'form = \"velocity-verlet\"' where the checkpoint has 'form = \"langevin\"'");
  expect_refused("dropmd run start.drop --resume out/checkpoint.h5 --steps 60", 3, "has 'units = \"lj\"' where");
  expect_refused("dropmd run --wall none --resume out/checkpoint.h5 --steps 60", 2,
                 "--resume and --wall cannot be combined");
  expect_refused("dropmd run --dry-run --resume out/checkpoint.h5 --steps 60", 2,
                 "--dry-run and --resume cannot be combined");
}

TEST_F(ResumeRefusals, StepsCountFromTheStartOfTheRun) {
  cut(30);
  expect_refused(std::string(kResume) + "29", 3,
                 "out/checkpoint.h5: the checkpoint is of step 30, but the run ends at step 29 (increase --steps, "
                 "which counts from the start of the run)");
  expect_success(std::string(kResume) + "30");
  expect_success(std::string(kResume) + "31");
}

TEST_F(ResumeRefusals, NoCheckpointIsSaidSo) {
  cut(10);
  folder().write("out/text.h5", "words");
  expect_refused("dropmd run -q --resume out/none.h5", 3, "out/none.h5: there is no such checkpoint");
  expect_refused("dropmd run -q --resume .", 3, "./checkpoint.h5: there is no such checkpoint");
  expect_refused("dropmd run -q --resume out/text.h5", 3, "out/text.h5: this is not a checkpoint");
  expect_refused("dropmd run -q --resume out/energy.csv", 3, "out/energy.csv: this is not a checkpoint");
}

TEST_F(ResumeRefusals, AFileInTheWayIsNotTouched) {
  write_run_file("run.toml", {.trajectory_every = 0});
  cut(30);
  folder().write("out/trajectory.xyz", "precious");
  write_run_file("other.toml", {});
  const std::string line = "dropmd run -q other.toml --resume out/checkpoint.h5 --steps 60";
  expect_refused(line, 6, "out/trajectory.xyz exists (use --force");
  expect_success(line + " --force");
  EXPECT_THAT(text("out/trajectory.xyz"), StartsWith("150\n"));
}

TEST_F(ResumeRefusals, FilesThatWereChangedAreRefused) {
  cut(60);
  const std::string line = std::string(kResume) + "90";
  for (const std::string name : {"energy.csv", "trajectory.xyz"}) {
    SCOPED_TRACE(name);
    const std::string file = "out/" + name, good = text(file);
    const auto expect_file_refused = [&](const std::string& bytes, const std::string& message) {
      folder().write(file, bytes);
      expect_refused(line, 6, file + ' ' + message);
      expect_refused(line + " --force", 6, file + ' ' + message);
    };
    std::string changed = good;
    changed[good.size() / 2] ^= 1;
    expect_file_refused(changed, "was changed: its first " + std::to_string(good.size()) + " bytes");
    expect_file_refused(good.substr(0, good.size() - 1), "is shorter than the ");
    expect_file_refused("", "is shorter than the ");
    fs::remove(folder().path() / file);
    expect_refused(line, 6, file + " is missing (put back the file that the run wrote");
    EXPECT_FALSE(folder().has(file));
    folder().write(file, good);
  }
  // All files are checked before any of them is truncated.
  const std::string energies = text("out/energy.csv"), frames = text("out/trajectory.xyz");
  folder().write("out/energy.csv", energies + "65,130,");
  folder().write("out/trajectory.xyz", frames.substr(1));
  expect_refused(line, 6, "out/trajectory.xyz is shorter than the ");
  folder().write("out/trajectory.xyz", frames);
  expect_success(line);
}

TEST_F(ResumeRefusals, AnotherFinalStructureReplacesNoFile) {
  cut(30);
  folder().write("out/mine.xyz", "precious");
  std::string toml = text("run.toml");
  toml.replace(toml.find("final.xyz"), 9, "mine.xyz");
  folder().write("other.toml", toml);
  const std::string line = "dropmd run -q other.toml --resume out/checkpoint.h5 --steps 60";
  expect_refused(line, 6, "out/mine.xyz exists (use --force");
  fs::remove(folder().path() / "out/mine.xyz");
  const std::string before = text("out/final.xyz");
  expect_success(line);
  EXPECT_TRUE(text("out/final.xyz") == before) << "it is of step 30";
  const std::string mine = text("out/mine.xyz");
  make_whole(60);
  EXPECT_TRUE(text("whole/final.xyz") == mine);
}

/// A new run in a folder that has the checkpoints of another run.
TEST_F(ResumeRefusals, ANewRunOverwritesCheckpointsOnlyByForce) {
  write_run_file("run.toml", {.checkpoint_every = 10});
  cut(30);
  fs::remove(folder().path() / "out/energy.csv");
  fs::remove(folder().path() / "out/ledger.csv");
  fs::remove(folder().path() / "out/trajectory.xyz");
  fs::remove(folder().path() / "out/final.xyz");
  write_run_file("run.toml", {.checkpoint_every = 0, .checkpoint_minutes = 0});
  expect_refused("dropmd run -q run.toml --steps 5", 6, "out/checkpoint.h5 exists (use --force");
  expect_success("dropmd run -q run.toml --steps 5 --force");
  EXPECT_FALSE(folder().has("out/checkpoint.h5")) << "it was of another run";
  EXPECT_FALSE(folder().has("out/checkpoint-previous.h5"));
}

}  // namespace
}  // namespace dropmd

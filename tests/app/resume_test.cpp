#include "tests/support/system/run_folder.h"

#include "app/shared_options.h"
#include "outputs/checkpoint/checkpoint_file.h"

/// `dropmd run --resume`: runs that were stopped resume to the files that they would have written.
namespace dropmd {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ResumeTest : public RunFolderTest {};

TEST_F(ResumeTest, ARunThatWasCutHasTheSameFiles) {
  const char* const integrators[] = {kLangevin, "form = \"velocity-verlet\"\ntimestep = 2\n",
                                     "form = \"csvr\"\ntemperature = 150\nrelaxation = 50\ntimestep = 2\n",
                                     "form = \"descent\"\nfactor = 0.001\n",
                                     "form = \"fire\"\ntimestep = 1\nforce-tolerance = 1e-9\n"};
  for (const char* const integrator : integrators) {
    write_run_file("run.toml", {.integrator = integrator});
    make_whole(120);
    for (const int steps : {0, 1, 40, 53, 120}) {
      SCOPED_TRACE(integrator + std::to_string(steps));
      cut(steps);
      EXPECT_EQ(text("out/energy.csv") == text("whole/energy.csv"), steps == 120);
      expect_success(std::string(kResume) + "120");
      expect_same_files();
      if (HasFailure()) return;
    }
  }
}

TEST_F(ResumeTest, EveryMethodHasTheSameFiles) {
  for (const char* const neighbor : {"method = \"all-pairs\"\n", "method = \"cells\"\n", "method = \"sorted-cells\"\n",
                                     "method = \"sorted-cells\"\nskin = 0\n", "method = \"pair-list\"\nskin = 0.2\n"})
    for (const char* const precision : {"mixed", "double"}) {
      SCOPED_TRACE(std::string(neighbor) + precision);
      // So few steps leave no time for autotuning, even where the skin is open.
      write_run_file("run.toml", {.neighbor = neighbor});
      const std::string options = std::string(" --precision ") + precision;
      make_whole(90, options);
      cut(47, options);
      expect_success(std::string(kResume) + "90");
      expect_same_files();
      cut(47, options + " --threads 1");
      expect_success(std::string(kResume) + "90 --threads 3");
      for (const char* const name : {"energy.csv", "trajectory.xyz", "final.xyz"})
        EXPECT_TRUE(text(std::string("out/") + name) == text(std::string("whole/") + name)) << name;
    }
}

TEST_F(ResumeTest, ManyCutsHaveTheSameFiles) {
  make_whole(100);
  cut(3);
  for (const char* const steps : {"3", "4", "20", "21", "60", "99", "100", "100"})
    expect_success(kResume + std::string(steps));
  expect_same_files();
}

/// What a run wrote after its last checkpoint before it was killed is truncated and written again.
TEST_F(ResumeTest, RowsBehindTheCheckpointAreWrittenOnce) {
  write_run_file("run.toml", {.checkpoint_every = 40});
  make_whole(100);
  cut(95);
  const fs::path out = folder().path() / "out";
  const std::string half_a_row = "95,190,-1.2", half_a_frame = "150\nProperties=";
  for (const bool torn : {false, true}) {
    // The checkpoint of step 95 is removed, as if it had never been written.
    ASSERT_EQ(read_checkpoint(out / "checkpoint-previous.h5").state.step, 80);
    fs::copy_file(out / "checkpoint-previous.h5", out / "checkpoint.h5", fs::copy_options::overwrite_existing);
    if (torn) {
      folder().write("out/energy.csv", text("out/energy.csv") + half_a_row);
      folder().write("out/trajectory.xyz", text("out/trajectory.xyz") + half_a_frame);
    }
    const auto rows = static_cast<std::size_t>(std::ranges::count(text("out/energy.csv"), '\n'));
    EXPECT_EQ(rows, torn ? 2U + 21 : 2U + 20) << "behind step 80 there are some";
    expect_success(std::string(kResume) + "100");
    expect_same_files();
  }
}

TEST_F(ResumeTest, TheOneBeforeResumesAsWell) {
  write_run_file("run.toml", {.checkpoint_every = 40});
  make_whole(100);
  cut(60);
  ASSERT_EQ(read_checkpoint(folder().path() / "out/checkpoint-previous.h5").state.step, 40);
  std::string damaged = text("out/checkpoint.h5");
  damaged[damaged.size() / 2] ^= 1;
  folder().write("out/checkpoint.h5", damaged);
  expect_refused(std::string(kResume) + "100", 3,
                 "out/checkpoint.h5: the checkpoint is damaged: its bytes are not those that were written (try "
                 "out/checkpoint-previous.h5)");
  expect_success("dropmd run -q --resume out/checkpoint-previous.h5 --steps 100");
  expect_same_files();
}

TEST_F(ResumeTest, AFolderIsItsLatestCheckpointThatIsWhole) {
  write_run_file("run.toml", {.checkpoint_every = 40});
  make_whole(100);
  cut(60);
  for (const char* const steps : {"70", "100"}) {
    const Outcome outcome = run(std::string("dropmd run --resume out --steps ") + steps);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, Not(HasSubstr("the run resumes from")));
  }
  expect_same_files();
  cut(60);
  const fs::path latest = folder().path() / "out/checkpoint.h5";
  const std::string whole = text("out/checkpoint.h5"), rows = text("out/energy.csv"), xyz = text("out/trajectory.xyz"),
                    before = text("out/checkpoint-previous.h5");
  for (const bool is_there : {true, false}) {
    SCOPED_TRACE(is_there);
    folder().write("out/checkpoint.h5", whole.substr(0, whole.size() / 2));
    folder().write("out/checkpoint-previous.h5", before);
    folder().write("out/energy.csv", rows);
    folder().write("out/trajectory.xyz", xyz);
    if (!is_there) fs::remove(latest);
    const Outcome outcome = run("dropmd run --resume out --steps 100");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("dropmd: warning: out/checkpoint.h5: "));
    EXPECT_THAT(outcome.err, HasSubstr("; the run resumes from out/checkpoint-previous.h5, of step 40\n"));
    expect_same_files();
  }
  for (const char* const name : {"checkpoint.h5", "checkpoint-previous.h5"})
    folder().write(std::string("out/") + name, "damaged");
  expect_refused("dropmd run -q --resume out", 3, "out/checkpoint.h5: this is not a checkpoint");
}

/// A stopped run resumes in a folder that has been moved since, and from another working directory.
TEST_F(ResumeTest, TheFolderMayBeMoved) {
  make_whole(60);
  cut(30);
  fs::create_directory(folder().path() / "there");
  fs::rename(folder().path() / "out", folder().path() / "there/moved");
  fs::remove(folder().path() / "start.drop");
  fs::remove(folder().path() / "run.toml");
  expect_success("dropmd run -q --resume there/moved/checkpoint.h5 --steps 60");
  for (const char* const name : {"energy.csv", "trajectory.xyz", "final.xyz"})
    EXPECT_TRUE(text(std::string("there/moved/") + name) == text(std::string("whole/") + name)) << name;
  EXPECT_FALSE(folder().has("out"));
}

TEST_F(ResumeTest, SaysFromWhereItResumes) {
  cut(30);
  const Outcome outcome = run("dropmd run --resume out/checkpoint.h5 --steps 60");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("60 steps, resumed from step 30\n"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("finished after step 60"), HasSubstr("  wrote out/checkpoint.h5\n"),
                                 Not(HasSubstr("it resumes with"))));
}

TEST_F(ResumeTest, ALinkToACheckpointLeadsToItsFolder) {
  make_whole(40);
  cut(20);
  fs::create_symlink("out/checkpoint.h5", folder().path() / "link.h5");
  expect_success("dropmd run -q --resume link.h5 --steps 40");
  for (const char* const name : {"energy.csv", "trajectory.xyz", "final.xyz"})
    EXPECT_TRUE(text(std::string("out/") + name) == text(std::string("whole/") + name)) << name;
  EXPECT_EQ(read_checkpoint(folder().path() / "out" / "checkpoint.h5").state.step, 40);
}

/// The temporary file of a killed write may be the only checkpoint.
TEST_F(ResumeTest, ALeftoverThatIsGoneOnFromStays) {
  make_whole(60);
  cut(30);
  const std::string leftover = "out/.checkpoint.h5.123-0.tmp";
  fs::copy_file(folder().path() / "out/checkpoint.h5", folder().path() / leftover);
  expect_success("dropmd run -q --resume " + leftover + " --steps 60");
  EXPECT_TRUE(folder().has(leftover));
  fs::remove(folder().path() / leftover);
  expect_same_files();
}

TEST_F(ResumeTest, TheLastCheckpointIsWrittenOnce) {
  write_run_file("run.toml", {.checkpoint_every = 10});
  cut(40);
  EXPECT_EQ(read_checkpoint(folder().path() / "out" / "checkpoint.h5").state.step, 40);
  EXPECT_EQ(read_checkpoint(folder().path() / "out" / "checkpoint-previous.h5").state.step, 30);
}

TEST_F(ResumeTest, AFinishedRunThatResumesStaysAsItIs) {
  make_whole(60);
  cut(60);
  for (int k = 0; k < 2; ++k) {
    expect_success(std::string(kResume) + "60");
    expect_same_files();
    EXPECT_TRUE(text("out/checkpoint-previous.h5") == text("out/checkpoint.h5"));
  }
  expect_success("dropmd run -q --resume out/checkpoint.h5");
  expect_same_files();
}

/// With the same physics and other settings, rows and frames come at other steps from then on.
TEST_F(ResumeTest, ARunFileOfTheSamePhysicsGivesTheSettings) {
  write_run_file("run.toml", {.energy_every = 1, .trajectory_every = 0});
  make_whole(60);
  cut(30);
  write_run_file("other.toml", {.energy_every = 10, .trajectory_every = 15});
  expect_success("dropmd run -q other.toml --resume out/checkpoint.h5 --steps 60");
  const std::vector<std::string> whole = lines_of(text("whole/energy.csv")), rows = lines_of(text("out/energy.csv"));
  ASSERT_EQ(rows.size(), 2U + 31 + 3);
  for (std::size_t k = 0; k < rows.size(); ++k)
    EXPECT_EQ(rows[k], whole[k < 33 ? k : 2 + 30 + 10 * (k - 32)]) << "row " << k;
  EXPECT_TRUE(text("out/final.xyz") == text("whole/final.xyz")) << "what is looked at changes nothing";
  const std::vector<std::string> frames = lines_of(text("out/trajectory.xyz"));
  ASSERT_EQ(frames.size(), 2U * 152) << "steps 45 and 60 in a file of its own";
  EXPECT_THAT(frames[1], HasSubstr("step=45"));
}

/// It continues under the name that the run gave it.
TEST_F(ResumeTest, ATrajectoryMayHaveAnyName) {
  make_whole(60);
  const std::string name = " --set output.trajectory=frames.xyz";
  cut(30, name);
  EXPECT_FALSE(fs::exists(folder().path() / "out/trajectory.xyz"));
  expect_success(std::string(kResume) + "60");
  EXPECT_TRUE(text("out/frames.xyz") == text("whole/trajectory.xyz"));
  const Outcome unknown = run("dropmd run -q run.toml -o other --set output.trajectory=frames.tng");
  EXPECT_EQ(unknown.status, 3);
  EXPECT_THAT(unknown.err, HasSubstr("'trajectory' in [output] is 'frames.tng' (choose a name that ends with .xyz, "));
  EXPECT_FALSE(fs::exists(folder().path() / "other"));
}

TEST_F(ResumeTest, AnotherFolderGetsFilesOfItsOwn) {
  make_whole(90);
  cut(60);
  const FolderBytes before = bytes_of("out");
  const std::string line = "dropmd run -q --resume out/checkpoint.h5 --steps 90 -o new/folder";
  expect_success(line);
  EXPECT_TRUE(bytes_of("out") == before);
  const std::vector<std::string> whole = lines_of(text("whole/energy.csv"));
  std::vector<std::string> expected(whole.begin(), whole.begin() + 2);
  expected.insert(expected.end(), whole.end() - 6, whole.end());  // steps 65 to 90
  EXPECT_EQ(lines_of(text("new/folder/energy.csv")), expected);
  EXPECT_TRUE(text("new/folder/final.xyz") == text("whole/final.xyz"));
  EXPECT_TRUE(text("whole/trajectory.xyz").ends_with(text("new/folder/trajectory.xyz")));
  const Outcome again = run(line);
  EXPECT_EQ(again.status, 6);
  EXPECT_THAT(again.err, HasSubstr("new/folder/energy.csv exists (use --force"));
  // The new run needs nothing of the old folder, and can itself be resumed.
  fs::remove(folder().path() / "out/energy.csv");
  expect_success(line + " --force");
  expect_success("dropmd run -q --resume new/folder/checkpoint.h5 --steps 95");
  EXPECT_EQ(lines_of(text("new/folder/energy.csv")).size(), expected.size() + 1);
}

TEST_F(ResumeTest, AnotherMethodOrPrecisionIsTaken) {
  cut(30);
  fs::copy(folder().path() / "out", folder().path() / "kept");
  const auto resumed_with = [&](const std::string& options) {
    fs::remove_all(folder().path() / "out");
    fs::copy(folder().path() / "kept", folder().path() / "out");
    const Outcome outcome = run("dropmd run --resume out/checkpoint.h5 --steps 60" + options);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.err;
  };
  EXPECT_THAT(resumed_with(""), HasSubstr("mixed precision, pair-list,"));
  const std::string as_before = text("out/energy.csv");
  EXPECT_THAT(resumed_with(" --neighbor cells"), HasSubstr("mixed precision, cells,"));
  EXPECT_FALSE(text("out/energy.csv") == as_before);
  EXPECT_THAT(resumed_with(" --neighbor all-pairs"), HasSubstr("mixed precision, all-pairs,"));
  EXPECT_THAT(resumed_with(" --precision double"), HasSubstr("double precision, pair-list,"));
  EXPECT_FALSE(text("out/energy.csv") == as_before);
}

}  // namespace
}  // namespace dropmd

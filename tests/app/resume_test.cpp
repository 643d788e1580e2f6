#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <string>
#include <thread>

#include "app/shared_options.h"
#include "engine/resume.h"
#include "engine/run_job.h"
#include "inputs/choices_file.h"
#include "outputs/checkpoint_file.h"
#include "tests/outputs/file_size_limit.h"
#include "tests/support/app_folder.h"

/// `dropmd run --resume`: runs that were ended in every way go on to the files that they would have written.
namespace dropmd {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kLangevin = "form = \"langevin\"\ntemperature = 150\nfriction = 0.002\ntimestep = 2\n";

/// What of the run file a test wants otherwise.
struct Settings {
  std::string integrator = kLangevin;
  std::string neighbor = "method = \"pair-list\"\nskin = 0.5\n";
  int energy_every = 5, trajectory_every = 20, checkpoint_every = 10'000;
  std::string epsilon = "0.2";
};

/// Names and bytes of all files of a folder, those of the tests left out.
using FolderBytes = std::map<std::string, std::string>;

/// A droplet of 150 atoms with cutoffs, warm enough to make lists stale; outputs go to out/.
class ResumeTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run("dropmd generate droplet -q --atoms 150 --disorder 0.05 -o start.drop").status, 0);
    write_run_file("run.toml", {});
  }

  const AppFolder& folder() const { return folder_; }
  Outcome run(const std::string& line) const { return folder_.run(line); }
  std::string text(std::string_view name) const { return folder_.text(name); }

  void write_run_file(const std::string& name, const Settings& settings) const {
    folder_.write(name,
                  "units = \"real\"\n[system]\nstructure = \"start.drop\"\nmass = 20\ntemperature = 150\n"
                  "[lennard-jones]\nr-min = 2.5\ncutoff = 6\nepsilon = " +
                      settings.epsilon + "\n[wall]\n[engine]\nbackend = \"cpu\"\n[neighbor]\n" + settings.neighbor +
                      "[integrator]\n" + settings.integrator +
                      "[run]\nrecenter-every = 20\nremove-momentum = \"linear\"\n[output]\nenergy-every = " +
                      std::to_string(settings.energy_every) +
                      "\ntrajectory-every = " + std::to_string(settings.trajectory_every) + "\ncheckpoint-every = " +
                      std::to_string(settings.checkpoint_every) + "\nfinal = \"final.xyz\"\n");
  }

  void expect_success(const std::string& line) const {
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome.status, 0) << line << '\n' << outcome.err;
  }

  /// The run without a stop, whose files go to whole/.
  void make_whole(int steps, const std::string& options = "") const {
    cut(steps, options);
    fs::remove_all(folder_.path() / "whole");
    fs::rename(folder_.path() / "out", folder_.path() / "whole");
  }
  void cut(int steps, const std::string& options = "") const {
    fs::remove_all(folder_.path() / "out");
    expect_success("dropmd run -q run.toml --steps " + std::to_string(steps) + options);
  }

  FolderBytes bytes_of(const std::string& name) const {
    FolderBytes bytes;
    for (const auto& entry : fs::directory_iterator(folder_.path() / name))
      bytes.emplace(entry.path().filename().string(), read_text(entry.path()));
    return bytes;
  }

  /// out/ against whole/; checkpoint-previous.h5 is of the step before that was saved, which may be another.
  void expect_same_files() const {
    const FolderBytes whole = bytes_of("whole"), out = bytes_of("out");
    for (const char* const name : {"energy.csv", "final.xyz", "checkpoint.h5"})
      EXPECT_TRUE(whole.contains(name)) << name;
    for (const auto& [name, bytes] : whole) {
      if (name == "checkpoint-previous.h5") continue;
      ASSERT_TRUE(out.contains(name)) << name;
      EXPECT_FALSE(bytes.empty());
      EXPECT_TRUE(out.at(name) == bytes) << name;
    }
  }

  void expect_refused(const std::string& line, int status, const std::string& message) const {
    const FolderBytes before = bytes_of("out");
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome.status, status) << line << '\n' << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(StartsWith("dropmd: error: "), HasSubstr(message))) << line;
    EXPECT_TRUE(bytes_of("out") == before) << line << ": a file was touched";
  }

 private:
  AppFolder folder_;
};

constexpr const char* kResume = "dropmd run -q --resume out/checkpoint.h5 --steps ";

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
      // So few steps choose nothing by time, also where the skin is open.
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

/// What a run wrote behind its last checkpoint before it was killed is cut back, and written again.
TEST_F(ResumeTest, RowsBehindTheCheckpointAreWrittenOnce) {
  write_run_file("run.toml", {.checkpoint_every = 40});
  make_whole(100);
  cut(95);
  const fs::path out = folder().path() / "out";
  const std::string half_a_row = "95,190,-1.2", half_a_frame = "150\nProperties=";
  for (const bool torn : {false, true}) {
    // That of step 95 gone, as if it had never been written.
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

TEST_F(ResumeTest, TheOneBeforeGoesOnAsWell) {
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

/// Whole, cut and resumed in a folder that has been moved meanwhile, from another working directory.
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

TEST_F(ResumeTest, SaysFromWhereItGoesOn) {
  cut(30);
  const Outcome outcome = run("dropmd run --resume out/checkpoint.h5 --steps 60");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("60 steps, on from step 30\n"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("finished after step 60"), HasSubstr("  wrote out/checkpoint.h5\n"),
                                 Not(HasSubstr("it goes on with"))));
}

/// Waits until the run is under way.
bool wait_for(ChildProcess& child, const fs::path& file) {
  using std::chrono::steady_clock;
  const auto give_up = steady_clock::now() + std::chrono::seconds(60);
  std::error_code ignored;
  while (!fs::exists(file, ignored) || fs::file_size(file, ignored) == 0) {
    if (!child.running() || steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

constexpr const char* kLong = "8000";  // half a second

/// The moments are others each time.
class RandomMoments {
 public:
  unsigned seed() const { return seed_; }
  void sleep(int at_most_milliseconds) {
    const int microseconds = std::uniform_int_distribution<int>(0, 1000 * at_most_milliseconds)(random_);
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
  }

 private:
  unsigned seed_ = std::random_device{}();
  std::mt19937 random_{seed_};
};

TEST_F(ResumeTest, ARunThatASignalStopsGoesOnToTheSameFiles) {
  write_run_file("run.toml", {.trajectory_every = 100, .checkpoint_every = 0});
  make_whole(8000);
  EXPECT_FALSE(folder().has("whole/checkpoint.h5")) << "none is wanted";
  RandomMoments moments;
  SCOPED_TRACE(moments.seed());
  int stopped = 0;
  for (int k = 0; k < 10; ++k) {
    const int signal = k % 2 == 0 ? SIGINT : SIGTERM;
    ChildProcess child(folder().path(), words_of(DROPMD_BINARY " run run.toml --steps " + std::string(kLong)));
    ASSERT_TRUE(wait_for(child, folder().path() / "out/energy.csv"));
    moments.sleep(250);
    child.send(signal);
    const Outcome outcome = child.wait();
    if (outcome.status != 0) {
      ++stopped;
      EXPECT_EQ(outcome.status, 128 + signal);
      EXPECT_THAT(outcome.out, AllOf(HasSubstr("interrupted after step "), HasSubstr("  wrote out/checkpoint.h5\n"),
                                     HasSubstr("  it goes on with: dropmd run --resume out/checkpoint.h5\n")));
      EXPECT_LT(read_checkpoint(folder().path() / "out/checkpoint.h5").state.step, 8000);
      EXPECT_TRUE(text("out/energy.csv").ends_with('\n'));
      expect_success("dropmd run -q --resume out/checkpoint.h5");
    }
    for (const char* const name : {"energy.csv", "trajectory.xyz", "final.xyz"})
      EXPECT_TRUE(text(std::string("out/") + name) == text(std::string("whole/") + name)) << name << ", time " << k;
    if (HasFailure()) return;
    fs::remove_all(folder().path() / "out");
  }
  EXPECT_GE(stopped, 5) << "or the moments are too late";
}

/// Two runs in one folder would cut back each other's files.
TEST_F(ResumeTest, AFolderInUseIsRefused) {
  write_run_file("run.toml", {.checkpoint_every = 50});
  ChildProcess child(folder().path(), words_of(DROPMD_BINARY " run run.toml --steps 100000000"));
  ASSERT_TRUE(wait_for(child, folder().path() / "out/checkpoint.h5"));
  for (const char* line :
       {"dropmd run -q --resume out/checkpoint.h5 --steps 200000000", "dropmd run -q run.toml --steps 30 --force"}) {
    const Outcome second = run(line);
    EXPECT_EQ(second.status, 6) << line;
    EXPECT_THAT(second.err, HasSubstr("out is in use: another run writes there (wait for its end")) << line;
  }
  EXPECT_TRUE(child.running());
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

TEST_F(ResumeTest, TheLastCheckpointIsWrittenOnce) {
  write_run_file("run.toml", {.checkpoint_every = 10});
  cut(40);
  EXPECT_EQ(read_checkpoint(folder().path() / "out" / "checkpoint.h5").state.step, 40);
  EXPECT_EQ(read_checkpoint(folder().path() / "out" / "checkpoint-previous.h5").state.step, 30);
}

TEST_F(ResumeTest, AFinishedRunThatGoesOnStaysAsItIs) {
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

TEST_F(ResumeTest, ARunThatIsKilledAgainAndAgainGoesOnToTheSameFiles) {
  write_run_file("run.toml", {.trajectory_every = 50, .checkpoint_every = 20});
  make_whole(8000);
  RandomMoments moments;
  SCOPED_TRACE(moments.seed());
  const fs::path latest = folder().path() / "out/checkpoint.h5",
                 before = folder().path() / "out/checkpoint-previous.h5";
  std::int64_t step = -1;
  int killed = 0, progressed = 0;
  for (int k = 0; k < 20; ++k) {
    SCOPED_TRACE("kill " + std::to_string(k) + ", from step " + std::to_string(step));
    const std::string line =
        step < 0 ? " run -q --force run.toml --steps " + std::string(kLong) : " run -q --resume out/checkpoint.h5";
    ChildProcess child(folder().path(), words_of(DROPMD_BINARY + line));
    moments.sleep(80);
    child.send(SIGKILL);
    const Outcome outcome = child.wait();
    ASSERT_TRUE(outcome.status == 128 + SIGKILL || outcome.status == 0) << outcome.err;
    killed += outcome.status != 0 ? 1 : 0;
    if (step < 0 && !fs::exists(latest)) continue;  // too early for the first one
    const std::int64_t reached = read_checkpoint(latest).state.step;
    ASSERT_GE(reached, step) << "a checkpoint never goes back";
    progressed += reached > step ? 1 : 0;
    step = reached;
    EXPECT_LE(fs::exists(before) ? read_checkpoint(before).state.step : 0, step);
  }
  EXPECT_GE(killed, 10);
  EXPECT_GE(progressed, 3);
  ASSERT_GE(step, 0);
  expect_success("dropmd run -q --resume out/checkpoint.h5");
  for (const auto& entry : fs::directory_iterator(folder().path() / "out"))  // of writes that were killed
    if (entry.path().extension() == ".tmp") fs::remove(entry.path());
  expect_same_files();
  EXPECT_EQ(bytes_of("out").size(), bytes_of("whole").size());
}

/// The disk is full for the trajectory: the run ends, and goes on where there is room again.
TEST_F(ResumeTest, ARunThatFillsTheDiskGoesOnToTheSameFiles) {
  write_run_file("run.toml", {.checkpoint_every = 30});
  make_whole(200);
  ASSERT_GT(text("whole/trajectory.xyz").size(), 100'000U);
  {
    const FileSizeLimit limit(100'000);
    const Outcome outcome = run("dropmd run -q run.toml --steps 200");
    EXPECT_EQ(outcome.status, 6);
    EXPECT_THAT(outcome.err, HasSubstr("out/trajectory.xyz: cannot write"));
  }
  const std::int64_t step = read_checkpoint(folder().path() / "out/checkpoint.h5").state.step;
  EXPECT_GT(step, 0);
  EXPECT_LT(step, 200);
  expect_success("dropmd run -q --resume out/checkpoint.h5");
  expect_same_files();
}

TEST_F(ResumeTest, OtherPhysicsIsRefused) {
  cut(30);
  write_run_file("other.toml", {.epsilon = "0.25"});
  expect_refused("dropmd run other.toml --resume out/checkpoint.h5 --steps 60", 3,
                 "other.toml: its physics is not that of out/checkpoint.h5: [lennard-jones] has 'epsilon = 0.25' where "
                 "the checkpoint has 'epsilon = 0.2' (a run goes on with the same physics; leave the file out)");
  write_run_file("other.toml", {.integrator = "timestep = 2\n"});
  expect_refused("dropmd run other.toml --resume out/checkpoint.h5 --steps 60", 3,
                 "[integrator] has 'form = \"velocity-verlet\"' where the checkpoint has 'form = \"langevin\"'");
  expect_refused("dropmd run start.drop --resume out/checkpoint.h5 --steps 60", 3, "has 'units = \"lj\"' where");
  expect_refused("dropmd run --wall none --resume out/checkpoint.h5 --steps 60", 2,
                 "--resume and --wall exclude each other");
  expect_refused("dropmd run --dry-run --resume out/checkpoint.h5 --steps 60", 2,
                 "--dry-run and --resume exclude each other");
}

TEST_F(ResumeTest, StepsCountFromTheStartOfTheRun) {
  cut(30);
  expect_refused(std::string(kResume) + "29", 3,
                 "out/checkpoint.h5: the checkpoint is of step 30, and the run ends at step 29 (more --steps: they "
                 "count from the start of the run)");
  expect_success(std::string(kResume) + "30");
  expect_success(std::string(kResume) + "31");
}

TEST_F(ResumeTest, NoCheckpointIsSaidSo) {
  cut(10);
  folder().write("out/text.h5", "words");
  expect_refused("dropmd run -q --resume out/none.h5", 3, "out/none.h5: there is no such checkpoint");
  expect_refused("dropmd run -q --resume out", 3, "out: there is no such checkpoint");
  expect_refused("dropmd run -q --resume out/text.h5", 3, "out/text.h5: this is no checkpoint");
  expect_refused("dropmd run -q --resume out/energy.csv", 3, "out/energy.csv: this is no checkpoint");
}

/// The same physics, and other settings: rows and frames come at other steps from then on.
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

TEST_F(ResumeTest, AFileInTheWayIsNotTouched) {
  write_run_file("run.toml", {.trajectory_every = 0});
  cut(30);
  folder().write("out/trajectory.xyz", "precious");
  write_run_file("other.toml", {});
  const std::string line = "dropmd run -q other.toml --resume out/checkpoint.h5 --steps 60";
  expect_refused(line, 6, "out/trajectory.xyz exists (use --force");
  expect_success(line + " --force");
  EXPECT_THAT(text("out/trajectory.xyz"), StartsWith("150\n"));
}

TEST_F(ResumeTest, FilesThatWereChangedAreRefused) {
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
    expect_refused(line, 6, file + " is not there (put back the file that the run wrote");
    EXPECT_FALSE(folder().has(file));
    folder().write(file, good);
  }
  // All are looked at before one is cut back.
  const std::string energies = text("out/energy.csv"), frames = text("out/trajectory.xyz");
  folder().write("out/energy.csv", energies + "65,130,");
  folder().write("out/trajectory.xyz", frames.substr(1));
  expect_refused(line, 6, "out/trajectory.xyz is shorter than the ");
  folder().write("out/trajectory.xyz", frames);
  expect_success(line);
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
  // It needs nothing of the old folder, and goes on itself.
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

TEST_F(ResumeTest, AnotherFinalStructureReplacesNoFile) {
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

/// A new run in a folder that has checkpoints of another one.
TEST_F(ResumeTest, ANewRunOverwritesCheckpointsOnlyByForce) {
  write_run_file("run.toml", {.checkpoint_every = 10});
  cut(30);
  fs::remove(folder().path() / "out/energy.csv");
  fs::remove(folder().path() / "out/trajectory.xyz");
  fs::remove(folder().path() / "out/final.xyz");
  write_run_file("run.toml", {.checkpoint_every = 0});
  expect_refused("dropmd run -q run.toml --steps 5", 6, "out/checkpoint.h5 exists (use --force");
  expect_success("dropmd run -q run.toml --steps 5 --force");
  EXPECT_FALSE(folder().has("out/checkpoint.h5")) << "it was of another run";
  EXPECT_FALSE(folder().has("out/checkpoint-previous.h5"));
}

TEST_F(ResumeTest, ChoicesThatAreMadeAgainGoOn) {
  folder().write("choices.csv",
                 "step,neighbor,skin,cell_share,list_form\n0,pair-list,0.4,0,auto\n30,sorted-cells,0.3,0,auto\n"
                 "31,all-pairs,0,0,auto\n70,cells,0,0.5,auto\n");
  write_run_file("run.toml", {.neighbor = ""});
  const std::string choices = " --choices choices.csv";
  make_whole(100, choices);
  for (const int steps : {0, 29, 30, 31, 32, 70, 100}) {
    SCOPED_TRACE(steps);
    cut(steps, choices);
    expect_success(std::string(kResume) + "100" + choices);
    expect_same_files();
    EXPECT_EQ(lines_of(text("out/choices.csv")).size(), 6U);
  }
}

/// A run that chooses by time cannot be made again by its run file alone, but by its choices, stopped or not.
TEST_F(ResumeTest, ARunThatChoosesLeavesTheChoicesOfAllItsParts) {
  write_run_file("run.toml", {.neighbor = "", .trajectory_every = 100});
  RunConfig config = load_config(folder().path() / "run.toml");
  config.output_directory = folder().path() / "out";
  config.steps = 40;
  RunHooks hooks;
  hooks.tuner.emplace().switch_every = 7;  // by no clock
  run_job(config, hooks);
  for (const int steps : {42, 80, 150}) {
    ResumedRun next = resume_run(folder().path() / "out/checkpoint.h5");
    next.config.steps = steps;
    EXPECT_EQ(run_job(next.config, hooks, &next.from).steps, steps);
  }
  const FolderBytes made = bytes_of("out");
  const std::vector<MethodChoice> choices = read_choices_file(folder().path() / "out/choices.csv");
  EXPECT_GE(choices.size(), 20U);
  EXPECT_EQ(choices.front().step, 0);
  EXPECT_EQ(read_checkpoint(folder().path() / "out/checkpoint.h5").choices, choices);
  folder().write("choices.csv", made.at("choices.csv"));
  cut(150, " --choices choices.csv");
  for (const char* const name : {"energy.csv", "trajectory.xyz", "final.xyz"})
    EXPECT_TRUE(text(std::string("out/") + name) == made.at(name)) << name;
  EXPECT_EQ(read_choices_file(folder().path() / "out/choices.csv"), choices);
}

/// In a file of its own, too: it begins with the choices before.
TEST_F(ResumeTest, ChoicesOfAnotherFolderMakeTheWholeRunAgain) {
  write_run_file("run.toml", {.neighbor = ""});
  RunHooks hooks;
  hooks.tuner.emplace().switch_every = 7;
  for (const bool chose_before : {true, false}) {
    SCOPED_TRACE(chose_before);
    fs::remove_all(folder().path() / "other");
    fs::remove_all(folder().path() / "out");
    RunConfig config = load_config(folder().path() / "run.toml");
    config.output_directory = folder().path() / "out";
    config.steps = 40;
    if (!chose_before) config.neighbor = NeighborMethod::pair_list, config.skin = 0.5;
    run_job(config, hooks);
    EXPECT_EQ(folder().has("out/choices.csv"), chose_before);
    ResumedRun next = resume_run(folder().path() / "out/checkpoint.h5");
    next.config.neighbor = NeighborMethod::automatic;
    next.config.skin.reset();
    next.config.steps = 90;
    next.config.output_directory = folder().path() / "other";
    run_job(next.config, hooks, &next.from);
    const std::vector<MethodChoice> choices = read_choices_file(folder().path() / "other/choices.csv");
    EXPECT_EQ(choices.front().step, 0);
    EXPECT_GE(choices.size(), 8U);
    cut(90, " --choices other/choices.csv");
    EXPECT_TRUE(text("out/final.xyz") == text("other/final.xyz"));
  }
}

/// A method that was asked for from some step on is a choice like any other.
TEST_F(ResumeTest, AnotherMethodOfARunThatChoosesIsAmongTheChoices) {
  write_run_file("run.toml", {.neighbor = ""});
  cut(40);
  expect_success(std::string(kResume) + "80 --neighbor cells");
  const std::vector<MethodChoice> choices = read_choices_file(folder().path() / "out/choices.csv");
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_EQ(choices[0].neighbor, NeighborMethod::pair_list);
  EXPECT_EQ(choices[1].neighbor, NeighborMethod::cells);
  EXPECT_EQ(choices[1].step, 40);
}

}  // namespace
}  // namespace dropmd

#include "tests/support/system/run_folder.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "outputs/checkpoint/checkpoint_file.h"
#include "tests/outputs/file_size_limit.h"
#include "tests/support/system/small_file_system.h"

/// Runs that signals, kills and full disks end, and that resume to the files that they would have written.
namespace dropmd {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class InterruptedRuns : public RunFolderTest {
 protected:
  /// Makes runs of run.toml, each of which is killed at some moment; the next one resumes from its last checkpoint.
  void kill_again_and_again(int kills) const;
};

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

constexpr const char* kLong = "8000";  // half a second; with sanitizers, several seconds

/// Milliseconds from the start of a run to its first checkpoint.
int time_to_checkpoint(const fs::path& folder) {
  using std::chrono::steady_clock;
  const auto begin = steady_clock::now();
  ChildProcess child(folder, words_of(DROPMD_BINARY " run -q --force run.toml --steps " + std::string(kLong)));
  EXPECT_TRUE(wait_for(child, folder / "out/checkpoint.h5"));
  const auto taken = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - begin);
  return static_cast<int>(taken.count());
}

/// Random moments, with another seed in each test run.
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

TEST_F(InterruptedRuns, ARunThatASignalStopsResumesToTheSameFiles) {
  write_run_file("run.toml", {.trajectory_every = 100, .checkpoint_every = 0, .checkpoint_minutes = 0});
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
                                     HasSubstr("  it resumes with: dropmd run --resume out/checkpoint.h5\n")));
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

/// Checkpoints by time do not change the files either; only the steps at which they are taken differ.
TEST_F(InterruptedRuns, CheckpointsByTimeChangeNothingElse) {
  write_run_file("run.toml", {.checkpoint_every = 0, .checkpoint_minutes = 0});
  make_whole(600);
  EXPECT_FALSE(folder().has("whole/checkpoint.h5"));
  write_run_file("run.toml", {.checkpoint_every = 0, .checkpoint_minutes = 0.00001});  // nearly every step
  cut(600);
  EXPECT_EQ(read_checkpoint(folder().path() / "out/checkpoint.h5").state.step, 600) << "at the end, too";
  const std::int64_t before = read_checkpoint(folder().path() / "out/checkpoint-previous.h5").state.step;
  EXPECT_GT(before, 0);
  EXPECT_LT(before, 600);
  fs::rename(folder().path() / "out/checkpoint-previous.h5", folder().path() / "out/checkpoint.h5");
  const auto expect_same = [&] {
    for (const char* const name : {"energy.csv", "trajectory.xyz", "final.xyz"})
      EXPECT_TRUE(text(std::string("out/") + name) == text(std::string("whole/") + name)) << name;
  };
  expect_same();
  expect_success("dropmd run -q --resume out/checkpoint.h5");
  expect_same();
}

TEST_F(InterruptedRuns, RowsThatAnotherProgramCutAreAnError) {
  write_run_file("run.toml", {.checkpoint_every = 50});
  ChildProcess child(folder().path(), words_of(DROPMD_BINARY " run -q run.toml --steps 100000000"));
  ASSERT_TRUE(wait_for(child, folder().path() / "out/checkpoint.h5"));
  fs::resize_file(folder().path() / "out/energy.csv", 0);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.status, 6);
  EXPECT_THAT(outcome.err, HasSubstr("out/energy.csv: another program cut it to 0 bytes after "));
  EXPECT_EQ(text("out/energy.csv"), "");
}

/// Two runs in one folder would truncate each other's files.
TEST_F(InterruptedRuns, AFolderInUseIsRefused) {
  write_run_file("run.toml", {.checkpoint_every = 50});
  ChildProcess child(folder().path(), words_of(DROPMD_BINARY " run run.toml --steps 100000000"));
  ASSERT_TRUE(wait_for(child, folder().path() / "out/checkpoint.h5"));
  for (const char* line :
       {"dropmd run -q --resume out/checkpoint.h5 --steps 200000000", "dropmd run -q run.toml --steps 30 --force"}) {
    const Outcome second = run(line);
    EXPECT_EQ(second.status, 6) << line;
    EXPECT_THAT(second.err, HasSubstr("out is in use: another run is writing there (wait until it ends")) << line;
  }
  EXPECT_TRUE(child.running());
}

void InterruptedRuns::kill_again_and_again(int kills) const {
  make_whole(8000);
  const int longest = std::max(80, 4 * time_to_checkpoint(folder().path()));  // a few moments are too early
  fs::remove_all(folder().path() / "out");
  RandomMoments moments;
  SCOPED_TRACE(moments.seed());
  const fs::path latest = folder().path() / "out/checkpoint.h5",
                 before = folder().path() / "out/checkpoint-previous.h5";
  const auto finish = [&] {
    expect_success("dropmd run -q --resume out/checkpoint.h5");
    expect_same_files();
    EXPECT_EQ(bytes_of("out").size(), bytes_of("whole").size()) << "what killed writes left is gone";
  };
  std::int64_t step = -1;
  int killed = 0, progressed = 0;
  for (int k = 0; k < kills; ++k) {
    SCOPED_TRACE("kill " + std::to_string(k) + ", from step " + std::to_string(step));
    const std::string line =
        step < 0 ? " run -q --force run.toml --steps " + std::string(kLong) : " run -q --resume out/checkpoint.h5";
    ChildProcess child(folder().path(), words_of(DROPMD_BINARY + line));
    moments.sleep(longest);
    child.send(SIGKILL);
    const Outcome outcome = child.wait();
    ASSERT_TRUE(outcome.status == 128 + SIGKILL || outcome.status == 0) << outcome.err;
    killed += outcome.status != 0 ? 1 : 0;
    if (step < 0 && !fs::exists(latest)) continue;  // too early for the first checkpoint
    const std::int64_t reached = read_checkpoint(latest).state.step;
    ASSERT_GE(reached, step) << "a checkpoint never goes back";
    progressed += reached > step ? 1 : 0;
    step = reached;
    EXPECT_LE(fs::exists(before) ? read_checkpoint(before).state.step : 0, step);
    if (outcome.status != 0) continue;
    finish();
    if (HasFailure()) return;
    fs::remove_all(folder().path() / "out");
    step = -1;
  }
  EXPECT_GE(killed, kills / 2);
  EXPECT_GE(progressed, kills / 10);
  if (step >= 0) finish();
}

TEST_F(InterruptedRuns, ARunThatIsKilledAgainAndAgainResumesToTheSameFiles) {
  write_run_file("run.toml", {.trajectory_every = 50, .checkpoint_every = 20});
  const char* const wanted = std::getenv("DROPMD_KILLS");
  kill_again_and_again(wanted != nullptr ? std::atoi(wanted) : 50);
}

TEST_F(InterruptedRuns, ARunThatMakesMapsIsKilledAgainAndAgain) {
  write_run_file("run.toml", {.trajectory_every = 0,
                              .checkpoint_every = 70,
                              .map = "[map]\nevery = 100\nspacing = 3\npadding = 2\ncutoff = 6\n"});
  kill_again_and_again(15);
}

/// The disk has no space for the trajectory: the run ends, and it resumes once there is space again.
TEST_F(InterruptedRuns, ARunThatFillsTheDiskResumesToTheSameFiles) {
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

/// Shells and batch systems limit file sizes. The signal that the kernel then sends would end the program without a
/// message.
TEST_F(InterruptedRuns, AFileBeyondItsLimitIsAnError) {
  write_run_file("run.toml", {.trajectory_every = 1, .checkpoint_every = 1});
  const std::string line = "ulimit -f 200; exec " DROPMD_BINARY " run -q run.toml --steps 1000";
  const Outcome outcome = ChildProcess(folder().path(), {"sh", "-c", line}).wait();
  EXPECT_EQ(outcome.status, 6);
  EXPECT_THAT(outcome.err, AllOf(StartsWith("dropmd: error: out/trajectory.xyz: cannot write ("),
                                 HasSubstr("File too large"), HasSubstr("the run resumes with: dropmd run --resume")));
}

/// The disk becomes full at any point of the run; the test tries one size after another.
TEST_F(InterruptedRuns, ADiskThatIsReallyFull) {
  write_run_file("run.toml", {.checkpoint_every = 20});
  make_whole(100);
  const fs::path out = folder().path() / "out";
  constexpr std::size_t kPage = 4096, kRoom = std::size_t{1} << 22U;
  int full = 0, gone_on = 0;
  for (std::size_t pages = 1;; pages += 3) {
    SCOPED_TRACE(pages);
    fs::create_directories(out);
    SmallFileSystem disk(out, pages * kPage);
    if (!disk.reason().empty()) GTEST_SKIP() << disk.reason();
    const Outcome outcome = run("dropmd run -q run.toml --steps 100");
    if (outcome.status == 0) break;
    ++full;
    EXPECT_EQ(outcome.status, 6);
    EXPECT_THAT(outcome.err, AllOf(StartsWith("dropmd: error: out/"), HasSubstr("No space left on device")));
    EXPECT_TRUE(text("out/energy.csv").empty() || text("out/energy.csv").ends_with('\n'));
    ASSERT_TRUE(disk.grow(kRoom));
    if (folder().has("out/checkpoint.h5")) {
      ++gone_on;
      expect_success("dropmd run -q --resume out/checkpoint.h5 --steps 100");
    } else {
      expect_success("dropmd run -q --force run.toml --steps 100");
    }
    expect_same_files();
    if (HasFailure()) return;
  }
  EXPECT_GE(full, 10);
  EXPECT_GE(gone_on, 5);
}

}  // namespace
}  // namespace dropmd

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "tests/support/system/app_folder.h"

/// A run that is told to stop ends after a complete step, with complete files.
namespace dropmd {
namespace {

std::ptrdiff_t line_count(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

/// Waits until the file has that many lines; the bound only keeps a broken program from hanging the tests.
bool wait_for_lines(ChildProcess& child, const std::filesystem::path& file, std::ptrdiff_t lines) {
  using std::chrono::steady_clock;
  const auto give_up = steady_clock::now() + std::chrono::seconds(60);
  while (line_count(text_of(file)) < lines) {
    if (!child.running() || steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

namespace fs = std::filesystem;

constexpr int kAtoms = 64;

class Signals : public testing::TestWithParam<int> {};

TEST_P(Signals, EndTheRunWithCompleteFiles) {
  const AppFolder folder;
  ASSERT_EQ(folder.run("dropmd generate droplet -q --atoms 64 -o start.drop").status, 0);
  folder.write("long.toml",
               "units = \"lj\"\n[system]\nstructure = \"start.drop\"\n"
               "[lennard-jones]\nepsilon = 0.2\nr-min = 2.5\n[integrator]\ntimestep = 0.001\n"
               "[output]\ndirectory = \"out\"\nenergy-every = 1\ntrajectory-every = 10\nfinal = \"final.xyz\"\n");
  ChildProcess child(folder.path(), words_of(DROPMD_BINARY " run long.toml --json --steps 1000000000"));
  ASSERT_TRUE(wait_for_lines(child, folder.path() / "out/energy.csv", 50));
  child.send(GetParam());
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.status, 128 + GetParam()) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("\"end\": \"interrupted\""));

  const std::string energies = folder.text("out/energy.csv");
  ASSERT_TRUE(energies.ends_with('\n'));
  const std::ptrdiff_t last_step = line_count(energies) - 3;
  const std::string last_row = energies.substr(energies.rfind('\n', energies.size() - 2) + 1);
  EXPECT_TRUE(last_row.starts_with(std::to_string(last_step) + ',')) << last_row;
  EXPECT_EQ(std::count(last_row.begin(), last_row.end(), ','), 8) << last_row;
  EXPECT_THAT(outcome.out, testing::HasSubstr("\"steps\": " + std::to_string(last_step) + ','));
  EXPECT_EQ(line_count(folder.text("out/trajectory.xyz")), (kAtoms + 2) * (last_step / 10 + 1));
  EXPECT_EQ(line_count(folder.text("out/final.xyz")), kAtoms + 2);
  EXPECT_EQ(folder.run("dropmd generate run -q out/final.xyz").status, 0);
}

/// A run in step 0, which takes long enough that a signal sent after its start arrives before it ends.
class LongStep : public testing::Test {
 protected:
  using Clock = std::chrono::steady_clock;

  void SetUp() override {
    ASSERT_EQ(folder_.run("dropmd generate droplet -q --atoms 40000 -o start.drop").status, 0);
    start("");
  }
  void start(const std::string& prefix) {
    fs::remove_all(folder_.path() / "out");
    const std::string line = prefix + DROPMD_BINARY +
                             " run start.drop -o out --neighbor all-pairs --precision double --backend cpu --threads 1";
    child_ = std::make_unique<ChildProcess>(folder_.path(), std::vector<std::string>{"bash", "-c", line});
    ASSERT_TRUE(wait_for_lines(*child_, folder_.path() / "out/energy.csv", 2));
  }
  static void wait_milliseconds(int n) { std::this_thread::sleep_for(std::chrono::milliseconds(n)); }

  const AppFolder folder_;
  std::unique_ptr<ChildProcess> child_;
};

/// The process is halted between the signals, so that the clock advances but the step does not.
TEST_F(LongStep, IsNotEndedByOneSignalAndAtOnceByASecond) {
  for (const int signal : {SIGTERM, SIGINT}) {
    child_->send_and_wait(signal);
    child_->halt();
    ASSERT_TRUE(child_->running());
    wait_milliseconds(300);
    child_->send(signal);
    child_->send(SIGCONT);
    EXPECT_EQ(child_->wait().status, 128 + signal);
    EXPECT_EQ(line_count(folder_.text("out/energy.csv")), 2) << "not even step 0 was complete";
    EXPECT_FALSE(folder_.has("out/checkpoint.h5"));
    if (signal == SIGTERM) start("");
  }
}

/// timeout(1) signals the process and then its group. On a busy machine the copies may arrive too late to count as
/// copies; then the test tries again.
TEST_F(LongStep, IsNotEndedByACopyOfTheSignal) {
  constexpr int kAttempts = 20;
  bool in_time = false;
  for (int attempt = 0; attempt < kAttempts && !in_time; ++attempt) {
    if (attempt > 0) start("");
    const Clock::time_point first = Clock::now();
    for (const int signal : {SIGTERM, SIGTERM, SIGINT, SIGTERM}) {
      child_->send_and_wait(signal);
      wait_milliseconds(10);
    }
    in_time = Clock::now() - first < std::chrono::milliseconds(200);
  }
  ASSERT_TRUE(in_time);
  EXPECT_EQ(child_->wait().status, 128 + SIGTERM);
  EXPECT_TRUE(folder_.has("out/checkpoint.h5"));
}

/// As for a script's background process, which Ctrl-C is not meant for.
TEST_F(LongStep, SignalsThatAreIgnoredStayIgnored) {
  child_.reset();
  start("trap '' INT HUP; exec ");
  for (const int signal : {SIGINT, SIGHUP, SIGINT, SIGHUP}) {
    wait_milliseconds(300);
    child_->send(signal);
  }
  child_->send(SIGTERM);
  EXPECT_EQ(child_->wait().status, 128 + SIGTERM);
  EXPECT_TRUE(folder_.has("out/checkpoint.h5")) << "SIGTERM was the first that it saw";
}

INSTANTIATE_TEST_SUITE_P(, Signals, testing::Values(SIGINT, SIGTERM),
                         [](const auto& test) { return test.param == SIGINT ? "interrupt" : "terminate"; });

}  // namespace
}  // namespace dropmd

#include <gmock/gmock.h>

#include "device/device_info.h"
#include "engine/ensemble/ensemble.h"
#include "outputs/checkpoint/checkpoint_file.h"
#include "tests/support/hot_droplet.h"
#include "tests/support/system/ensemble_folder.h"
#include "tests/support/system/same_outputs.h"

/// Programs that lose a GPU in the middle of their work (tests/support/system/losing_gpu.cu). They end with one message
/// and status 4, and what they leave can be continued to the files of work that lost nothing.
namespace dropmd {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

#if !defined(DROPMD_LOSING_GPU)
#define DROPMD_LOSING_GPU ""  // without CUDA there is nothing to lose, and the tests are skipped
#endif

class LostGpu : public testing::Test {
 protected:
  void SetUp() override {
    const DeviceReport report = query_devices();
    if (!report.reason.empty()) GTEST_SKIP() << report.reason;
    for (const DeviceInfo& device : report.devices) devices_.push_back(device.index);
    library_ = needed_file(DROPMD_LOSING_GPU).string();
  }

  /// Runs the program, which loses the last GPU once it has written `file`, a new one.
  Outcome run_and_lose(const std::string& line, const std::string& file) const {
    std::filesystem::remove(folder_.path() / file);
    // The limit tells a program that waits for ever from one that ends.
    const std::string start = "timeout --signal=KILL 100 env LD_PRELOAD=" + library_ +
                              " DROPMD_LOSE_GPU=" + std::to_string(devices_.back()) + " DROPMD_LOSE_AT=" + file + " ";
    return ChildProcess(folder_.path(), words_of(start + DROPMD_BINARY + " " + line)).wait();
  }
  static void expect_one_message(const Outcome& outcome) {
    EXPECT_EQ(outcome.status, 4) << outcome.err;
    const std::size_t first = outcome.err.find("dropmd: error: ");
    ASSERT_NE(first, std::string::npos) << outcome.err;
    EXPECT_THAT(outcome.err.substr(first), StartsWith("dropmd: error: CUDA: "));
    EXPECT_EQ(outcome.err.find("dropmd: error: ", first + 1), std::string::npos) << outcome.err;
  }
  void expect_success(const std::string& line) const {
    const Outcome outcome = folder_.run(line);
    ASSERT_EQ(outcome.status, 0) << line << '\n' << outcome.err;
  }

  /// The option for the last GPU, and for all if there are more.
  std::vector<std::string> places() const {
    if (devices_.size() == 1) return {"--device " + std::to_string(devices_[0])};
    return {"--device " + std::to_string(devices_.back()), "--devices all"};
  }

  const AppFolder folder_;
  std::vector<int> devices_{};
  std::string library_{};
};

TEST_F(LostGpu, ARunLeavesAWholeCheckpoint) {
  for (const std::string neighbor :
       {"method = \"cells\"\nskin = 0.5\n", "method = \"pair-list\"\nskin = 0.5\n", "method = \"all-pairs\"\n"}) {
    write_hot_droplet(folder_, neighbor);
    for (const std::string& place : places()) {
      SCOPED_TRACE(neighbor + place);
      expect_one_message(run_and_lose("run hot.toml -q --force --steps 10000000 -o out " + place, "out/checkpoint.h5"));
      const std::int64_t reached = read_checkpoint(folder_.path() / "out/checkpoint.h5").state.step;
      EXPECT_GT(reached, 0);
      const std::string steps = " --steps " + std::to_string(reached + 500);
      expect_success("dropmd run -q --resume out/checkpoint.h5" + steps);
      expect_success("dropmd run hot.toml -q --force -o whole --device " + std::to_string(devices_[0]) + steps);
      expect_same_outputs(folder_, "out", "whole");
    }
  }
}

/// The places on a lost GPU soon stop taking runs; those on other GPUs make the rest.
TEST_F(LostGpu, AnEnsembleCanBeContinued) {
  const std::size_t n_runs = 2 * devices_.size() + 4;
  write_hot_droplet(folder_, "method = \"pair-list\"\nskin = 0.5\n");
  const std::string line = "ensemble hot.toml -q --at-once 2 --steps 20000 --replicas " + std::to_string(n_runs) +
                           " --set output.checkpoint-every=1000 -o ";
  expect_success("dropmd " + line + "whole");
  for (const std::string& place : places()) {
    SCOPED_TRACE(place);
    expect_one_message(run_and_lose(line + "cut --force " + place, "cut/0002/checkpoint.h5"));
    std::size_t n_stopped = 0, n_finished = 0;
    for (const Replica& replica : ensemble_table(folder_, "cut").replicas) {
      n_stopped += replica.result.state == ReplicaState::stopped ? 1 : 0;
      n_finished += replica.result.state == ReplicaState::finished ? 1 : 0;
    }
    EXPECT_GT(n_stopped, 0U);
    EXPECT_EQ(n_finished, place == "--devices all" ? n_runs - n_stopped : 0U);
    expect_success("dropmd ensemble -q --resume cut");
    for (std::size_t k = 0; k < n_runs; ++k)
      expect_same_outputs(folder_, "cut/" + replica_folder_name(k, n_runs), "whole/" + replica_folder_name(k, n_runs));
  }
}

}  // namespace
}  // namespace dropmd

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "device/device_info.h"
#include "tests/support/hot_droplet.h"
#include "tests/support/system/same_outputs.h"

/// Runs of the program on a GPU, and whether the files that they write are bitwise identical.
namespace dropmd {
namespace {

class GpuRuns : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }
  std::unique_ptr<ChildProcess> start(const std::string& line) const {
    return std::make_unique<ChildProcess>(folder_.path(), words_of(line));
  }

  const AppFolder folder_;
};

/// Runs that share a GPU neither wait for each other nor change each other's files.
TEST_F(GpuRuns, ThreeAtOnceOnOneGpu) {
  write_hot_droplet(folder_, "method = \"cells\"\nskin = 0.5\n");
  ASSERT_EQ(start(DROPMD_BINARY " run hot.toml -q -o alone")->wait().status, 0);
  const std::vector<std::string> outs{"a", "b", "c"};
  std::vector<std::unique_ptr<ChildProcess>> runs;
  for (const std::string& out : outs) runs.push_back(start(DROPMD_BINARY " run hot.toml -q -o " + out));
  for (const auto& run : runs) {
    const Outcome outcome = run->wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
  for (const std::string& out : outs) expect_same_outputs(folder_, out, "alone");
}

/// A GPU runs ahead of the host, which decides by its clock at which step it saves.
TEST_F(GpuRuns, CheckpointsByTimeChangeNoByte) {
  for (const char* const neighbor : {"method = \"cells\"\nskin = 0.5\n", "method = \"pair-list\"\nskin = 0.5\n"}) {
    SCOPED_TRACE(neighbor);
    write_hot_droplet(folder_, neighbor);
    const std::string toml = folder_.text("hot.toml");
    folder_.write("timed.toml", toml + "checkpoint-minutes = 0.0001\n");
    EXPECT_EQ(start(DROPMD_BINARY " run hot.toml -q --force -o whole")->wait().status, 0);
    EXPECT_EQ(start(DROPMD_BINARY " run timed.toml -q --force -o timed")->wait().status, 0);
    expect_same_outputs(folder_, "timed", "whole");
    EXPECT_EQ(start(DROPMD_BINARY " run -q --resume timed/checkpoint-previous.h5")->wait().status, 0);
    expect_same_outputs(folder_, "timed", "whole");
  }
}

/// The loops that kernel tools can follow give the same results as those that run without such tools
/// (device/loop_graph.cuh).
TEST_F(GpuRuns, LoopsOfTheHostAreThoseOfTheDevice) {
  for (const char* const neighbor :
       {"method = \"cells\"\nskin = 0.5\n", "method = \"cells\"\nskin = 0\n", "method = \"sorted-cells\"\nskin = 0.5\n",
        "method = \"pair-list\"\nskin = 0.5\n"}) {
    SCOPED_TRACE(neighbor);
    write_hot_droplet(folder_, neighbor);
    EXPECT_EQ(start(DROPMD_BINARY " run hot.toml -q --force -o device")->wait().status, 0);
    EXPECT_EQ(start("env DROPMD_HOST_LOOPS=1 " DROPMD_BINARY " run hot.toml -q --force -o host")->wait().status, 0);
    expect_same_outputs(folder_, "host", "device");
  }
}

}  // namespace
}  // namespace dropmd

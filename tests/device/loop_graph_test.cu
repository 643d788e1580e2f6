#include "device/loop_graph.cuh"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

#include "device/buffer.cuh"
#include "device/device_info.h"

/// Loops as nodes of a graph and as turns of the host, compared with the counts that the host would reach.
namespace dropmd {
namespace {

struct Counts {
  int turns = 0, steps = 0, heads = 0;
  int last_turn = 0;        ///< the loop ends after this turn
  int steps_of_a_turn = 0;  ///< the inner loop ends after so many steps
};

__global__ void turn_kernel(Counts* counts, LoopCondition loop) {
  ++counts->turns;
  loop.set(counts->turns < counts->last_turn);
}

__global__ void head_kernel(Counts* counts, LoopCondition outer, LoopCondition inner) {
  ++counts->heads;
  const bool more = counts->steps < counts->last_turn;
  outer.set(more);
  inner.set(more && counts->steps_of_a_turn > 0);
  if (counts->steps_of_a_turn == 0) ++counts->steps;
}

__global__ void step_kernel(Counts* counts, LoopCondition outer, LoopCondition inner) {
  ++counts->steps;
  const bool more = counts->steps < counts->last_turn;
  outer.set(more);
  inner.set(more && counts->steps % counts->steps_of_a_turn != 0);
}

class LoopGraphTest : public ::testing::TestWithParam<TurnsBy> {
 protected:
  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
    stream_ = std::make_unique<Stream>(0);
    counts_ = std::make_unique<DeviceBuffer<Counts>>(*stream_);
    counts_->resize(1);
  }

  Cuda cuda() const { return {*stream_}; }
  Counts* counts() const { return counts_->data(); }

  /// The counts after `launches` of a graph, which together start from zero.
  Counts after(const LoopGraph& graph, const Counts& begin, int launches = 1) {
    Counts result = begin;
    counts_->upload({&result, 1});
    for (int i = 0; i < launches; ++i) graph.launch(cuda());
    counts_->download({&result, 1});
    stream_->synchronize("testing loops");
    return result;
  }

  LoopGraph one_loop() {
    return LoopGraph::once(
        cuda(), [&](LoopCondition loop) { turn_kernel<<<1, 1, 0, cuda().get()>>>(counts(), loop); }, GetParam());
  }
  LoopGraph two_loops() {
    return LoopGraph::nested(
        cuda(),
        [&](LoopCondition outer, LoopCondition inner) {
          head_kernel<<<1, 1, 0, cuda().get()>>>(counts(), outer, inner);
        },
        [&](LoopCondition outer, LoopCondition inner) {
          step_kernel<<<1, 1, 0, cuda().get()>>>(counts(), outer, inner);
        },
        GetParam());
  }

 private:
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<DeviceBuffer<Counts>> counts_;
};

INSTANTIATE_TEST_SUITE_P(Turns, LoopGraphTest, testing::Values(TurnsBy::device, TurnsBy::host),
                         [](const auto& by) { return by.param == TurnsBy::host ? "by_the_host" : "by_the_device"; });

TEST_P(LoopGraphTest, TakesAsManyTurnsAsItsConditionSays) {
  const auto loop = one_loop();
  for (const int turns : {1, 2, 7, 1000}) EXPECT_EQ(after(loop, {.last_turn = turns}).turns, turns);
}

TEST_P(LoopGraphTest, TakesAFirstTurnWithEachLaunch) {
  const auto loop = one_loop();
  EXPECT_EQ(after(loop, {.last_turn = 5}, 3).turns, 5 + 1 + 1);
  EXPECT_EQ(after(loop, {.last_turn = 0}).turns, 1);
}

TEST_P(LoopGraphTest, AnInnerLoopBeginsAnewInEachTurn) {
  const auto loops = two_loops();
  for (const int of_a_turn : {1, 3, 50}) {
    const Counts counts = after(loops, {.last_turn = 20, .steps_of_a_turn = of_a_turn});
    EXPECT_EQ(counts.steps, 20) << of_a_turn;
    EXPECT_EQ(counts.heads, (20 + of_a_turn - 1) / of_a_turn) << of_a_turn;
  }
}

TEST_P(LoopGraphTest, AnInnerLoopMayTakeNoTurn) {
  const Counts counts = after(two_loops(), {.last_turn = 4, .steps_of_a_turn = 0});
  EXPECT_EQ(counts.heads, 5);
}

/// A stream can still be used after an exception during capture.
TEST_P(LoopGraphTest, ThrowsOnWhatItsBodyThrows) {
  const auto throws = [](LoopCondition) { throw std::runtime_error("no room"); };
  EXPECT_THROW(LoopGraph::once(cuda(), throws, GetParam()), std::runtime_error);
  EXPECT_EQ(after(one_loop(), {.last_turn = 3}).turns, 3);
}

/// Each question is asked in a process of its own, since the environment is read only once. No GPU is needed.
TEST(TurnsByTest, AreTheHostsWhereTheEnvironmentSaysSo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto answer = [](bool host_loops) {
    host_loops ? setenv("DROPMD_HOST_LOOPS", "1", 1) : unsetenv("DROPMD_HOST_LOOPS");
    std::exit(turns_by_environment() == TurnsBy::host ? 1 : 2);
  };
  EXPECT_EXIT(answer(false), testing::ExitedWithCode(2), "");
  EXPECT_EXIT(answer(true), testing::ExitedWithCode(1), "");
}

}  // namespace
}  // namespace dropmd

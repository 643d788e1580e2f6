#include "device/loop_graph.cuh"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

#include "device/buffer.cuh"
#include "device/device_info.h"

/// Loops as nodes of a graph and as iterations of the host, compared with the counts that the host would reach.
namespace dropmd {
namespace {

struct Counts {
  int iterations = 0, steps = 0, heads = 0;
  int last_iteration = 0;       ///< the loop ends after this iteration
  int steps_per_iteration = 0;  ///< the inner loop ends after this many steps
};

__global__ void iteration_kernel(Counts* counts, LoopCondition loop) {
  ++counts->iterations;
  loop.set(counts->iterations < counts->last_iteration);
}

__global__ void head_kernel(Counts* counts, LoopCondition outer, LoopCondition inner) {
  ++counts->heads;
  const bool more = counts->steps < counts->last_iteration;
  outer.set(more);
  inner.set(more && counts->steps_per_iteration > 0);
  if (counts->steps_per_iteration == 0) ++counts->steps;
}

__global__ void step_kernel(Counts* counts, LoopCondition outer, LoopCondition inner) {
  ++counts->steps;
  const bool more = counts->steps < counts->last_iteration;
  outer.set(more);
  inner.set(more && counts->steps % counts->steps_per_iteration != 0);
}

class LoopGraphTest : public ::testing::TestWithParam<IterationsBy> {
 protected:
  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
    stream_ = std::make_unique<Stream>(0);
    counts_ = std::make_unique<DeviceBuffer<Counts>>(*stream_);
    counts_->resize(1);
  }

  Cuda cuda() const { return {*stream_}; }
  Counts* counts() const { return counts_->data(); }

  /// Returns the counts after so many launches of a graph, the first of which starts from `begin`.
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
        cuda(), [&](LoopCondition loop) { iteration_kernel<<<1, 1, 0, cuda().get()>>>(counts(), loop); }, GetParam());
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

INSTANTIATE_TEST_SUITE_P(Iterations, LoopGraphTest, testing::Values(IterationsBy::device, IterationsBy::host),
                         [](const auto& by) {
                           return by.param == IterationsBy::host ? "by_the_host" : "by_the_device";
                         });

TEST_P(LoopGraphTest, PerformsAsManyIterationsAsItsConditionSays) {
  const auto loop = one_loop();
  for (const int iterations : {1, 2, 7, 1000})
    EXPECT_EQ(after(loop, {.last_iteration = iterations}).iterations, iterations);
}

TEST_P(LoopGraphTest, PerformsAFirstIterationWithEachLaunch) {
  const auto loop = one_loop();
  EXPECT_EQ(after(loop, {.last_iteration = 5}, 3).iterations, 5 + 1 + 1);
  EXPECT_EQ(after(loop, {.last_iteration = 0}).iterations, 1);
}

TEST_P(LoopGraphTest, AnInnerLoopStartsAgainInEachIteration) {
  const auto loops = two_loops();
  for (const int per_iteration : {1, 3, 50}) {
    const Counts counts = after(loops, {.last_iteration = 20, .steps_per_iteration = per_iteration});
    EXPECT_EQ(counts.steps, 20) << per_iteration;
    EXPECT_EQ(counts.heads, (20 + per_iteration - 1) / per_iteration) << per_iteration;
  }
}

TEST_P(LoopGraphTest, AnInnerLoopMayTakeNoTurn) {
  const Counts counts = after(two_loops(), {.last_iteration = 4, .steps_per_iteration = 0});
  EXPECT_EQ(counts.heads, 5);
}

/// A stream can still be used after an exception during capture.
TEST_P(LoopGraphTest, ThrowsOnWhatItsBodyThrows) {
  const auto throws = [](LoopCondition) { throw std::runtime_error("no room"); };
  EXPECT_THROW(LoopGraph::once(cuda(), throws, GetParam()), std::runtime_error);
  EXPECT_EQ(after(one_loop(), {.last_iteration = 3}).iterations, 3);
}

/// Each question is asked in a process of its own, since the environment is read only once. No GPU is needed.
TEST(IterationsByTest, AreTheHostsWhereTheEnvironmentSaysSo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto answer = [](bool host_loops) {
    host_loops ? setenv("DROPMD_HOST_LOOPS", "1", 1) : unsetenv("DROPMD_HOST_LOOPS");
    std::exit(usual_iterations() == IterationsBy::host ? 1 : 2);
  };
  EXPECT_EXIT(answer(false), testing::ExitedWithCode(2), "");
  EXPECT_EXIT(answer(true), testing::ExitedWithCode(1), "");
}

}  // namespace
}  // namespace dropmd

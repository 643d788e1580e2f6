#include "device/conditional_branch.cuh"

#include <gtest/gtest.h>

#include <memory>

#include "device/buffer.cuh"
#include "device/device_info.h"
#include "device/graph.cuh"

namespace dropmd {
namespace {

struct Counts {
  int round = 0;   ///< number of the present round
  int main = 0;    ///< work on the main stream
  int branch = 0;  ///< work of the branch
  int behind = 0;
  int in_order = 1;  ///< whether the work behind the branch always found that of the branch done
};

__global__ void next_round_kernel(Counts* counts) { ++counts->round; }
__global__ void wanted_kernel(const Counts* counts, LoopCondition condition, int every) {
  condition.set(counts->round % every == 0);
}
__global__ void work_kernel(Counts* counts, int every) {
  if (counts->round % every == 0) ++counts->branch;
}
__global__ void behind_kernel(Counts* counts, int every) {
  ++counts->behind;
  if (counts->branch != counts->round / every) counts->in_order = 0;
}
__global__ void until_40_kernel(const Counts* counts, LoopCondition loop) { loop.set(counts->round < 40); }
__global__ void main_kernel(Counts* counts) { ++counts->main; }

class ConditionalBranchTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
    stream_ = std::make_unique<Stream>(0);
    branch_ = std::make_unique<ConditionalBranch>(Cuda{*stream_});
    counts_ = std::make_unique<DeviceBuffer<Counts>>(*stream_);
    const Counts zero;
    counts_->upload({&zero, 1});
  }

  /// Enqueues a round, whose branch works in every `every`th round.
  void enqueue_round(int every) {
    const Cuda cuda{*stream_};
    Counts* const counts = counts_->data();
    next_round_kernel<<<1, 1, 0, cuda.get()>>>(counts);
    branch_->fork_if(
        cuda,
        [&](const Cuda& on, LoopCondition condition) {
          wanted_kernel<<<1, 1, 0, on.get()>>>(counts, condition, every);
        },
        [&] { work_kernel<<<1, 1, 0, branch_->cuda().get()>>>(counts, every); });
    behind_kernel<<<1, 1, 0, branch_->behind().get()>>>(counts, every);
    main_kernel<<<1, 1, 0, cuda.get()>>>(counts);
    branch_->join_if(cuda);
  }
  Counts read() {
    Counts result;
    counts_->download({&result, 1});
    stream_->synchronize("testing a branch");
    return result;
  }
  void expect(const Counts& counts, int rounds, int every) {
    EXPECT_EQ(counts.round, rounds);
    EXPECT_EQ(counts.main, rounds);
    EXPECT_EQ(counts.behind, rounds);
    EXPECT_EQ(counts.branch, rounds / every);
    EXPECT_EQ(counts.in_order, 1);
  }

  std::unique_ptr<Stream> stream_;
  std::unique_ptr<ConditionalBranch> branch_;
  std::unique_ptr<DeviceBuffer<Counts>> counts_;
};

TEST_F(ConditionalBranchTest, IsEnqueuedOutsideOfGraphs) {
  for (int k = 0; k < 7; ++k) enqueue_round(3);
  expect(read(), 7, 3);
}

TEST_F(ConditionalBranchTest, IsDoneInTheRoundsOfAGraphThatWantIt) {
  const Graph graph(Cuda{*stream_}, [&] {
    for (int k = 0; k < 5; ++k) enqueue_round(2);
  });
  for (int k = 0; k < 3; ++k) graph.launch({*stream_});
  expect(read(), 15, 2);
}

TEST_F(ConditionalBranchTest, IsDoneInLoopsOnTheDevice) {
  const Cuda cuda{*stream_};
  const LoopGraph loop = LoopGraph::once(cuda, [&](LoopCondition again) {
    for (int k = 0; k < 4; ++k) enqueue_round(3);
    until_40_kernel<<<1, 1, 0, cuda.get()>>>(counts_->data(), again);
  });
  loop.launch(cuda);
  expect(read(), 40, 3);
}

}  // namespace
}  // namespace dropmd

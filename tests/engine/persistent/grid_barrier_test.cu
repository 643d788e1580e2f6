#include "engine/persistent/grid_barrier.cuh"

#include <gtest/gtest.h>
#include <cstdint>
#include <string>
#include <vector>

#include "device/buffer.cuh"
#include "device/device_info.h"
#include "engine/persistent/grid_launch.cuh"

namespace dropmd {
namespace {

/// In each round every thread stores a number that depends on the round, and looks for that of a thread of the next
/// block, which another multiprocessor may have in its cache from the round before. late: counts what it did not find.
__global__ void rounds_kernel(std::uint32_t* word, std::uint32_t* stored, std::uint32_t rounds, std::uint32_t* late) {
  GridBarrier barrier(word);
  const std::uint32_t mine = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x,
                      next = (mine + blockDim.x) % n;
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    stored[mine] = round * n + mine;
    barrier.wait();
    if (stored[next] != round * n + next) atomicAdd(late, 1U);
    barrier.wait();
  }
  barrier.wait();  // an odd number, so that the next launch finds the other side
}

TEST(GridBarrier, MakesVisibleWhatAllBlocksHaveWritten) {
  if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  const Stream stream(0);
  for (std::uint32_t n_blocks : {1U, 2U, 3U, 4U, 8U, 9U, 33U, 64U}) {
    constexpr std::uint32_t kThreads = 96, kRounds = 500;
    DeviceBuffer<std::uint32_t> word(stream), stored(stream), late(stream);
    word.resize(1), stored.resize(n_blocks * kThreads), late.resize(1);
    word.zero(), stored.zero(), late.zero();
    const GridLaunch grid(0, rounds_kernel, n_blocks, kThreads, 0);
    if (query_devices().devices[0].major >= 9) EXPECT_EQ(grid.is_cluster(), n_blocks <= 8) << n_blocks;
    for (int launch = 0; launch < 3; ++launch) {
      std::uint32_t *d_word = grid.is_cluster() ? nullptr : word.data(), *d_stored = stored.data(),
                    *d_late = late.data();
      std::uint32_t rounds = kRounds;
      void* arguments[] = {&d_word, &d_stored, &rounds, &d_late};
      grid({stream}, arguments, "testing a barrier");
    }
    std::uint32_t n_late = 1;
    late.download({&n_late, 1});
    stream.synchronize("testing a barrier");
    EXPECT_EQ(n_late, 0U) << n_blocks << " blocks";
  }
}

}  // namespace
}  // namespace dropmd

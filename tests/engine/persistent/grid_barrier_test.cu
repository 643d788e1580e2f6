#include "engine/persistent/grid_barrier.cuh"

#include <gtest/gtest.h>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/buffer.cuh"
#include "device/device_info.h"
#include "engine/persistent/grid_launch.cuh"

namespace dropmd {
namespace {

constexpr std::uint32_t kThreads = 96;

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

/// Returns how often a thread missed what another one had written, in three launches of so many blocks.
std::uint32_t n_late(const GridLaunch& grid, const Stream& stream, std::uint32_t n_blocks) {
  DeviceBuffer<std::uint32_t> word(stream), stored(stream), late(stream);
  word.resize(1), stored.resize(n_blocks * kThreads), late.resize(1);
  word.zero(), stored.zero(), late.zero();
  for (int launch = 0; launch < 3; ++launch) {
    std::uint32_t *d_word = grid.is_cluster() ? nullptr : word.data(), *d_stored = stored.data(), *d_late = late.data();
    std::uint32_t rounds = 500;
    void* arguments[] = {&d_word, &d_stored, &rounds, &d_late};
    grid({stream}, arguments, "testing a barrier");
  }
  std::uint32_t n = 1;
  late.download({&n, 1});
  stream.synchronize("testing a barrier");
  return n;
}

/// Blocks that form a cluster and, where others have taken the room for clusters, blocks that do not.
TEST(GridBarrier, MakesVisibleWhatAllBlocksHaveWritten) {
  if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  const Stream stream(0);
  cudaFuncAttributes code{};
  DROPMD_CUDA(cudaFuncGetAttributes(&code, rounds_kernel), "testing a barrier");
  for (const bool has_room : {true, false}) {
    const std::shared_ptr<void> others = has_room ? nullptr : ClusterRoom::take(0, 1 << 20, 1 << 20);
    for (std::uint32_t n_blocks : {1U, 2U, 3U, 4U, 8U, 9U, 33U, 64U}) {
      SCOPED_TRACE(std::to_string(n_blocks) + (has_room ? " blocks" : " blocks without room for clusters"));
      const GridLaunch grid({stream}, rounds_kernel, n_blocks, kThreads, 0);
      EXPECT_EQ(grid.is_cluster(), has_room && code.ptxVersion >= 90 && n_blocks <= 8);
      EXPECT_EQ(n_late(grid, stream, n_blocks), 0U);
    }
  }
}

}  // namespace
}  // namespace dropmd

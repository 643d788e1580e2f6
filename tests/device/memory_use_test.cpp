#include "device/memory_use.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace dropmd {
namespace {

TEST(MemoryUse, KnowsTheMostThatWasInUse) {
  MemoryUse use;
  use.add(100);
  use.add(50);
  use.remove(100);
  use.add(20);
  EXPECT_EQ(use.now(), 70U);
  EXPECT_EQ(use.most(), 150U);
  use.reset_most();
  EXPECT_EQ(use.most(), 70U);
  use.remove(70);
  EXPECT_EQ(use.now(), 0U);
  EXPECT_EQ(use.most(), 70U);
}

/// Each thread holds 3 at most, and at the end all threads hold their 3 at once.
TEST(MemoryUse, CountsFromAnyThread) {
  constexpr std::uint64_t kThreads = 4;
  MemoryUse use;
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int k = 0; k < 10'000; ++k) {
        use.add(3);
        use.remove(3);
      }
      use.add(3);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(use.now(), 3 * kThreads);
  EXPECT_EQ(use.most(), 3 * kThreads);
}

}  // namespace
}  // namespace dropmd

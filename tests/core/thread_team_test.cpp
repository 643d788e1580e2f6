#include "core/thread_team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/parallel_for.h"

/// Threads that share work: that they do all of it, and that they sleep while they wait.
namespace dropmd {
namespace {

using std::chrono::milliseconds;

/// Processor time of all threads of this process, in s.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST(ThreadTeam, EveryIndexOnceForEveryNumberOfThreads) {
  for (const int threads : {1, 2, 3, 7, 16})
    for (const std::size_t n : {0U, 1U, 2U, 15U, 1000U}) {
      std::vector<std::atomic<int>> even(n), uneven(n);
      parallel_for(Cpu{threads}, n, [&](std::size_t i) { ++even[i]; });
      parallel_for_with(
          Cpu{threads}, n, 3, [] { return 1; }, [&](int one, std::size_t i) { uneven[i] += one; });
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(even[i], 1) << threads << " threads, index " << i << " of " << n;
        ASSERT_EQ(uneven[i], 1) << threads << " threads, index " << i << " of " << n;
      }
    }
}

TEST(ThreadTeam, ManyShortLoops) {
  std::vector<int> times(64);
  for (int loop = 0; loop < 20000; ++loop)
    parallel_for(Cpu{2 + loop % 4}, times.size(), [&](std::size_t i) { ++times[i]; });
  for (const int count : times) ASSERT_EQ(count, 20000);
}

/// Waits for a member to begin and returns whether one did. A helper may take its time, but one comes.
bool came(const std::atomic<bool>& begun) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!begun && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(milliseconds(1));
  return begun;
}

TEST(ThreadTeam, AnExceptionOfAnyMemberEndsTheCall) {
  for (const std::size_t failing : {0U, 1U}) {
    std::atomic<bool> begun = false;
    const auto work = [&](std::size_t member) {
      if (member == 1) begun = true;
      EXPECT_TRUE(member == 1 || came(begun));
      if (member == failing) throw std::runtime_error("no room");
    };
    EXPECT_THROW(run_team(2, TeamWork(work)), std::runtime_error) << "member " << failing;
  }
  std::atomic<int> sum = 0;
  parallel_for(Cpu{2}, 100, [&](std::size_t) { ++sum; });
  EXPECT_EQ(sum, 100) << "and the next one is as ever";
}

TEST(ThreadTeam, ALoopWithinALoopIsItsThreadsOwn) {
  std::atomic<int> sum = 0;
  parallel_for(Cpu{4}, 20, [&](std::size_t) {
    const std::thread::id outer = std::this_thread::get_id();
    parallel_for(Cpu{4}, 10, [&](std::size_t) {
      EXPECT_EQ(std::this_thread::get_id(), outer);
      ++sum;
    });
  });
  EXPECT_EQ(sum, 200);
}

TEST(ThreadTeam, LoopsOfSeveralThreadsAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<int> sum = 0;
  for (int caller = 0; caller < 3; ++caller)
    callers.emplace_back([&] {
      for (int loop = 0; loop < 200; ++loop) parallel_for(Cpu{3}, 10, [&](std::size_t) { ++sum; });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 6000);
}

TEST(ThreadTeam, EachCallerHasHelpersOfItsOwn) {
  std::atomic<int> helpers = 0;
  const auto both_came = [&] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (helpers < 2 && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(milliseconds(1));
    return helpers == 2;
  };
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 2; ++caller)
    callers.emplace_back([&] {
      const auto work = [&](std::size_t member) {
        if (member == 1) ++helpers;
        EXPECT_TRUE(both_came()) << "member " << member;
      };
      run_team(2, TeamWork(work));
    });
  for (std::thread& caller : callers) caller.join();
}

/// Each of the seven helpers spins for 50 us before it sleeps. If they spun all the time, they would take 300 ms each,
/// or all that the machine has. A busier machine leaves a waiting thread less time, so the bound holds on a busy
/// machine, too.
TEST(ThreadTeam, HelpersWithoutWorkSleep) {
  parallel_for(Cpu{8}, 1000, [](std::size_t) {});
  const double before = processor_seconds();
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_LT(processor_seconds() - before, 0.06);
}

TEST(ThreadTeam, TheCallerSleepsWhileItWaitsForAHelper) {
  std::atomic<bool> begun = false;
  double before = 0;
  const auto work = [&](std::size_t member) {
    if (member == 0) {
      EXPECT_TRUE(came(begun));
      before = processor_seconds();
    } else {
      begun = true;
      std::this_thread::sleep_for(milliseconds(300));
    }
  };
  run_team(2, TeamWork(work));
  EXPECT_LT(processor_seconds() - before, 0.06) << "50 us awake, 300 ms asleep";
}

}  // namespace
}  // namespace dropmd

#include "engine/available_threads.h"

#include <gtest/gtest.h>
#include <sched.h>

#include "tests/support/system/temp_folder.h"

/// The number of threads that affinity and control groups leave to this process.
namespace dropmd {
namespace {

TEST(AvailableThreads, AreTheProcessorsThatTheProcessMayUse) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &before)) {
      CPU_SET(cpu, &one);
      break;
    }
  EXPECT_LE(available_threads(), CPU_COUNT(&before));
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(available_threads(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

TEST(AvailableThreads, TheLeastLimitOfAControlGroupAndThoseAbove) {
  const TempFolder folder;
  const std::string membership = "0::/system/job\n";
  EXPECT_FALSE(cgroup_processors(folder.path(), membership)) << "no such folders";
  folder.write("system/job/cpu.max", "max 100000\n");
  EXPECT_FALSE(cgroup_processors(folder.path(), membership)) << "no limit";
  folder.write("system/cpu.max", "250000 100000\n");
  EXPECT_EQ(cgroup_processors(folder.path(), membership), 2.5);
  folder.write("system/job/cpu.max", "50000 100000\n");
  EXPECT_EQ(cgroup_processors(folder.path(), membership), 0.5);
  folder.write("cpu.max", "20000 100000\n");
  EXPECT_EQ(cgroup_processors(folder.path(), membership), 0.2) << "of a container, whose own group is the root";
}

TEST(AvailableThreads, LimitsOfTheFirstVersionOfControlGroups) {
  const TempFolder folder;
  folder.write("cpu/docker/cpu.cfs_quota_us", "300000\n");
  folder.write("cpu/docker/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_processors(folder.path(), "5:memory:/docker\n4:cpu,cpuacct:/docker\n"), 3.0);
  EXPECT_FALSE(cgroup_processors(folder.path(), "5:memory:/docker\n3:cpuset:/docker\n"));
  folder.write("cpu/docker/cpu.cfs_quota_us", "-1\n");
  EXPECT_FALSE(cgroup_processors(folder.path(), "4:cpu,cpuacct:/docker\n")) << "no limit";
}

}  // namespace
}  // namespace dropmd

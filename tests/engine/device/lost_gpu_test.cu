#include <gtest/gtest.h>

#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "device/cuda.cuh"
#include "tests/engine/device/several_gpus.h"
#include "tests/support/slow_forces.h"
#include "tests/support/system/trap.cuh"

/// Runs on several GPUs, one of which is lost. Each run has a process of its own, which cannot use that GPU afterwards.
namespace dropmd {
namespace {

/// Keeps the GPU from doing anything else in this process.
void lose(int device) {
  int before = 0;
  cudaGetDevice(&before);
  cudaSetDevice(device);
  trap_kernel<<<1, 1>>>();
  cudaSetDevice(before);
}

class SeveralGpusOfWhichOneIsLost : public SeveralGpus {
 protected:
  void SetUp() override {
    SeveralGpus::SetUp();
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }

  /// Loses the last GPU between steps, prints what ends the run, and exits with status 3.
  [[noreturn]] void run_and_lose(const RunConfig& config, const Structure& structure, bool persistent) const {
    constexpr unsigned kLongest = 60;
    alarm(kLongest);  // a run must not wait for ever
    Method method = on_several().back();
    method.persistent = persistent;
    method.divides_mesh = true;
    System system = build_system(config, structure);
    try {
      run_short(
          system, config, method, 0,
          [&](const Snapshot& snapshot) {
            if (snapshot.step == 200) lose(method.devices.back());
          },
          never_stop, 100);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "ended: %s\n", error.what());
      std::_Exit(3);  // the destructors of static objects do not matter here
    }
    std::_Exit(0);
  }
};
INSTANTIATE_TEST_SUITE_P(Methods, SeveralGpusOfWhichOneIsLost,
                         testing::Values(DeviceMethod{Precision::mixed, NeighborMethod::all_pairs},
                                         DeviceMethod{Precision::mixed, NeighborMethod::pair_list},
                                         DeviceMethod{Precision::fp64, NeighborMethod::cells}),
                         name_of_device_method);

TEST_P(SeveralGpusOfWhichOneIsLost, EndsAllWithAMessage) {
  EXPECT_EXIT(run_and_lose(charged_run(verlet(0.002), 100'000), moving_atoms(3'000, 5), false),
              testing::ExitedWithCode(3), "ended: .*launch failure");
}

TEST_P(SeveralGpusOfWhichOneIsLost, EndsTheSumsOfADividedMesh) {
  RunConfig config = slow_run(verlet(0.002), 100'000, 1);
  config.precision = GetParam().precision;
  EXPECT_EXIT(run_and_lose(config, ions(50), false), testing::ExitedWithCode(3), "ended: .*launch failure");
}

TEST_P(SeveralGpusOfWhichOneIsLost, EndsThePersistentKernelsOfTheOthers) {
  if (searches()) GTEST_SKIP() << "several GPUs have no persistent kernel with lists";
  EXPECT_EXIT(run_and_lose(charged_run(verlet(0.002), 100'000), moving_atoms(2'000, 5), true),
              testing::ExitedWithCode(3), "ended: .*launch failure");
}

}  // namespace
}  // namespace dropmd

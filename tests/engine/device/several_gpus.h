#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "device/device_info.h"
#include "tests/support/device_runs.h"
#include "tests/support/seen_run.h"

namespace dropmd {

/// Runs on several GPUs, compared with those on one, without a persistent kernel. With DROPMD_SHARE_GPU in the
/// environment two peers share a single GPU, whose small kernels that wait for each other can run at the same time.
/// Some runs with a mesh or lists in fp64 then wait for ever, probably where one peer allocates memory and CUDA waits
/// for the other's kernel.
class SeveralGpus : public DeviceRunTest {
 protected:
  void SetUp() override {
    load_all_kernels();
    DeviceRunTest::SetUp();
    if (IsSkipped()) return;
    for (const DeviceInfo& device : query_devices().devices) all_.push_back(device.index);
    if (all_.size() == 1 && std::getenv("DROPMD_SHARE_GPU") != nullptr) all_.push_back(all_.front());
    if (all_.size() < 2) GTEST_SKIP() << "there is one GPU";
  }
  /// Two GPUs and, if there are more, all of them.
  std::vector<Method> on_several() const {
    std::vector<Method> methods{on({all_[0], all_[1]})};
    if (all_.size() > 2) methods.push_back(on(all_));
    return methods;
  }
  Method on_one() const { return on({all_[0]}); }
  /// The method of a rank that has one of several GPUs.
  static Method method_of_rank(Method method, RunRanks& ranks) {
    method.device = method.devices[static_cast<std::size_t>(ranks.rank())];
    method.devices.clear();
    method.ranks = &ranks;
    return method;
  }

  void expect_same_on_all(const System& system, const RunConfig& config) const {
    const Seen one = seen_of(system, config, on_one());
    for (const Method& method : on_several()) {
      const Seen several = seen_of(system, config, method);
      expect_same(several, one);
      EXPECT_EQ(several.pairs.candidate_pairs, one.pairs.candidate_pairs);
    }
  }

  /// From two GPUs to one and back: a state does not know how many GPUs wrote it. at: the step of the state.
  void expect_each_resumes(const System& system, const RunConfig& config, std::int64_t at) const {
    const Seen one = seen_of(system, config, on_one(), at);
    for (const Method& method : on_several()) {
      const Seen several = seen_of(system, config, method, at);
      expect_same(several, one);
      ASSERT_TRUE(one.state && several.state);
      expect_same(seen_of(system, config, with_choice(method, one.state->choice), -1, &*one.state), one);
      expect_same(seen_of(system, config, with_choice(on_one(), several.state->choice), -1, &*several.state), one);
    }
  }

 private:
  static Method on(const std::vector<int>& devices) {
    Method method = gpu();
    method.skin = needs_cutoff(method.neighbor) && !GetParam().without_skin ? 0.3 : 0;
    method.device = devices.front();
    if (devices.size() > 1) method.devices = devices;
    method.persistent = false;  // its rounding depends on the number of GPUs
    return method;
  }

  std::vector<int> all_;
};

}  // namespace dropmd

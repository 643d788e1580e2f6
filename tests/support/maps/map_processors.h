#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "device/device_info.h"
#include "maps/map_cuda.h"

/// The processors and precisions that compute a map, as the parameter of their tests.
namespace dropmd {

enum class MapProcessor { cpu_mixed, cpu_fp64, gpu_mixed, gpu_fp64 };

inline const char* name_of(MapProcessor processor) {
  constexpr const char* kNames[] = {"cpu_mixed", "cpu_fp64", "gpu_mixed", "gpu_fp64"};
  return kNames[static_cast<int>(processor)];
}
inline void PrintTo(MapProcessor processor, std::ostream* out) { *out << name_of(processor); }
inline bool is_mixed(MapProcessor processor) {
  return processor == MapProcessor::cpu_mixed || processor == MapProcessor::gpu_mixed;
}
inline bool is_on_gpu(MapProcessor processor) {
  return processor == MapProcessor::gpu_mixed || processor == MapProcessor::gpu_fp64;
}

inline std::unique_ptr<MapSum> make_map_sum(MapProcessor processor, const MapModel& model, int threads = 1) {
  const Precision precision = is_mixed(processor) ? Precision::mixed : Precision::fp64;
  return is_on_gpu(processor) ? make_map_sum_cuda(0, Cpu{threads}, precision, model)
                              : make_map_sum(Cpu{threads}, precision, model);
}

/// Skips, with the reason, what this machine cannot run.
class OnMapProcessors : public testing::TestWithParam<MapProcessor> {
 protected:
  void SetUp() override {
    if (is_on_gpu(GetParam()))
      if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }
};

inline auto all_map_processors() {
  return testing::Values(MapProcessor::cpu_mixed, MapProcessor::cpu_fp64, MapProcessor::gpu_mixed,
                         MapProcessor::gpu_fp64);
}
inline std::string name_of_map_processor(const testing::TestParamInfo<MapProcessor>& info) {
  return name_of(info.param);
}

}  // namespace dropmd

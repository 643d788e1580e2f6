#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "device/device_info.h"
#include "maps/map_cuda.h"

/// The methods that compute a map, as the parameter of their tests.
namespace dropmd {

enum class MapWay { cpu_mixed, cpu_fp64, gpu_mixed, gpu_fp64 };

inline const char* name_of(MapWay way) {
  constexpr const char* kNames[] = {"cpu_mixed", "cpu_fp64", "gpu_mixed", "gpu_fp64"};
  return kNames[static_cast<int>(way)];
}
inline void PrintTo(MapWay way, std::ostream* out) { *out << name_of(way); }
inline bool is_mixed(MapWay way) { return way == MapWay::cpu_mixed || way == MapWay::gpu_mixed; }
inline bool is_on_gpu(MapWay way) { return way == MapWay::gpu_mixed || way == MapWay::gpu_fp64; }

inline std::unique_ptr<MapSum> make_map_sum(MapWay way, const MapModel& model, int threads = 1) {
  const Precision precision = is_mixed(way) ? Precision::mixed : Precision::fp64;
  return is_on_gpu(way) ? make_map_sum_cuda(0, Cpu{threads}, precision, model)
                        : make_map_sum(Cpu{threads}, precision, model);
}

/// Skips, with the reason, what this machine cannot run.
class OnMapWays : public testing::TestWithParam<MapWay> {
 protected:
  void SetUp() override {
    if (is_on_gpu(GetParam()))
      if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }
};

inline auto all_map_ways() {
  return testing::Values(MapWay::cpu_mixed, MapWay::cpu_fp64, MapWay::gpu_mixed, MapWay::gpu_fp64);
}
inline std::string name_of_map_way(const testing::TestParamInfo<MapWay>& info) { return name_of(info.param); }

}  // namespace dropmd

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "device/device_info.h"
#include "inputs/run_file/run_config.h"
#include "tests/support/measured_memory.h"
#include "tests/support/molecules/water_droplet.h"

/// The memory that runs of water take, compared with the estimate: a water has longer lists than an atom of a simple
/// liquid, masks of excluded pairs, constraints and perhaps a virtual site.
namespace dropmd {
namespace {

struct MeasuredWater {
  std::string name;
  std::size_t model;  ///< index in water_models()
  NeighborMethod neighbor;
  Precision precision;
  std::size_t waters = 20'000;
};
void PrintTo(const MeasuredWater& run, std::ostream* out) { *out << run.name; }

class WaterMemory : public testing::TestWithParam<MeasuredWater> {};

TEST_P(WaterMemory, IsEstimatedFromAboveAndWithinAFactor) {
  if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  const MeasuredWater& run = GetParam();
  RunConfig config;
  config.units = UnitSystem::real;
  config.lennard_jones = LennardJonesConfig{.epsilon = {}, .sigma = {}, .treatment = {"cut", {{"cutoff", 12.0}}}};
  config.coulomb = FormChoice{"reaction-field", {{"cutoff", 12.0}, {"dielectric", 78.5}}};
  config.integrator = {"velocity-verlet", {{"timestep", 1.0}}};
  config.recenter = Recenter::none;
  config.skin = 2.5;
  config.steps = 100;
  System system = water_droplet(water_models()[run.model], run.waters, config);
  Method method = fp64_method(1, run.neighbor);
  method.backend = Backend::cuda;
  method.precision = run.precision;
  method.skin = *config.skin;
  expect_memory_as_estimated(system, config, method);
}

constexpr std::size_t kSpce = 0, kTip4p2005 = 2;
INSTANTIATE_TEST_SUITE_P(
    All, WaterMemory,
    testing::Values(
        MeasuredWater{"three_sites_pair_list_mixed", kSpce, NeighborMethod::pair_list, Precision::mixed},
        MeasuredWater{"three_sites_pair_list_fp64", kSpce, NeighborMethod::pair_list, Precision::fp64},
        MeasuredWater{"four_sites_pair_list_mixed", kTip4p2005, NeighborMethod::pair_list, Precision::mixed},
        MeasuredWater{"three_sites_cells_mixed", kSpce, NeighborMethod::cells, Precision::mixed},
        MeasuredWater{"few_of_three_sites_all_pairs_mixed", kSpce, NeighborMethod::all_pairs, Precision::mixed, 1'500},
        MeasuredWater{"few_of_four_sites_all_pairs_mixed", kTip4p2005, NeighborMethod::all_pairs, Precision::mixed,
                      1'500}),
    [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace dropmd

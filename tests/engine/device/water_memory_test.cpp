#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "device/device_info.h"
#include "device/memory_use.h"
#include "engine/device/device_memory.h"
#include "engine/jobs/water/generate_water.h"
#include "engine/methods/catalogue.h"
#include "engine/molecules/molecules.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "inputs/water/water_topology.h"
#include "tests/support/short_run.h"
#include "tests/support/system/temp_folder.h"

/// The memory that runs of water take, beside the estimate: a water has longer lists than an atom of a simple liquid,
/// masks of excluded pairs, constraints and perhaps a virtual site.
namespace dropmd {
namespace {

struct MeasuredWater {
  std::string name, model;
  NeighborMethod neighbor;
  Precision precision;
};
void PrintTo(const MeasuredWater& run, std::ostream* out) { *out << run.name; }

const WaterModel& model_named(std::string_view name) {
  const std::span<const WaterModel> models = water_models();
  return *std::find_if(models.begin(), models.end(), [&](const WaterModel& model) { return model.name == name; });
}

class WaterMemory : public testing::TestWithParam<MeasuredWater> {
 protected:
  /// Returns a run of a droplet with a cutoff of 12 Å.
  RunConfig run_of(const WaterRecipe& recipe) {
    RunConfig config;
    config.units = UnitSystem::real;
    config.topology.file = folder_.write("water.top", water_topology(recipe.composition, "water"));
    config.lennard_jones = LennardJonesConfig{.epsilon = {}, .sigma = {}, .treatment = {"cut", {{"cutoff", 12.0}}}};
    config.coulomb = FormChoice{"reaction-field", {{"cutoff", 12.0}, {"dielectric", 78.5}}};
    config.integrator = {"velocity-verlet", {{"timestep", 1.0}}};
    config.skin = 2.5;
    config.steps = 30;
    config.recenter = Recenter::none;
    return config;
  }

 private:
  TempFolder folder_;
};

/// An estimate may exceed what a run takes by this factor: the lists of a droplet are shorter than those of the liquid
/// without a surface that the estimate is for.
constexpr double kMostEstimated = 1.6;

TEST_P(WaterMemory, IsEstimatedFromAboveAndWithinAFactor) {
  if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  WaterRecipe recipe{.composition = {.model = model_named(GetParam().model), .waters = 20'000}};
  recipe.radius = liquid_radius(static_cast<double>(recipe.composition.molecules()));
  const RunConfig config = run_of(recipe);
  GeneratedWater droplet = generate_water(recipe);
  Structure structure;
  structure.position = droplet.particles.position;
  const std::shared_ptr<const MolecularModel> molecules = read_molecules(config, structure);
  System system = build_system(config, structure, molecules);
  Method method = fp64_method(1, GetParam().neighbor);
  method.backend = Backend::cuda;
  method.precision = GetParam().precision;
  if (needs_cutoff(method.neighbor)) method.skin = *config.skin;
  MemoryUse& use = device_memory_use();
  const std::uint64_t before = use.now(), estimated = device_bytes(system, method) - kFixedDeviceBytes;
  use.reset_most();
  run_short(system, config, method, 10);
  const std::uint64_t measured = use.most() - before;
  RecordProperty("measured_bytes_per_atom", std::to_string(measured / system.particles.size()));
  RecordProperty("estimated_bytes_per_atom", std::to_string(estimated / system.particles.size()));
  EXPECT_LE(measured, estimated + kFixedBufferBytes);
  EXPECT_LE(static_cast<double>(estimated), kMostEstimated * static_cast<double>(measured));
  EXPECT_EQ(use.now(), before) << "a run leaves nothing behind";
}

INSTANTIATE_TEST_SUITE_P(
    All, WaterMemory,
    testing::Values(MeasuredWater{"three_sites_pair_list", "spce", NeighborMethod::pair_list, Precision::mixed},
                    MeasuredWater{"four_sites_pair_list", "tip4p2005", NeighborMethod::pair_list, Precision::mixed},
                    MeasuredWater{"three_sites_cells", "spce", NeighborMethod::cells, Precision::mixed},
                    MeasuredWater{"three_sites_pair_list_fp64", "spce", NeighborMethod::pair_list, Precision::fp64}),
    [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace dropmd

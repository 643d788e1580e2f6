#include "engine/methods/useful_gpus.h"

#include <gtest/gtest.h>

#include "tests/support/device_runs.h"
#include "tests/support/molecules/water_droplet.h"
#include "tests/support/slow_forces.h"

/// Which droplets use only one of several GPUs. No GPU is needed.
namespace dropmd {
namespace {

bool are_useful(const System& system, NeighborMethod neighbor) {
  Method method = fp64_method(1, neighbor);
  method.backend = Backend::cuda;
  method.devices = {0, 1};
  return are_useful_gpus(method, system);
}

TEST(UsefulGpus, AreThoseOfManyAtoms) {
  const RunConfig config = lj_run(verlet(0.002), 10);
  const auto useful = [&](int shell, NeighborMethod neighbor) {
    return are_useful(build_system(config, ions(shell)), neighbor);
  };
  const int few = 50, more = 100, many = 700;  // shells of 767, some 2,100 and 39,000 ions
  EXPECT_FALSE(useful(few, NeighborMethod::all_pairs));
  EXPECT_TRUE(useful(more, NeighborMethod::all_pairs));
  EXPECT_FALSE(useful(more, NeighborMethod::pair_list));
  EXPECT_TRUE(useful(many, NeighborMethod::pair_list));
}

/// From 4,000 waters on, several GPUs are faster; smaller droplets have not been measured.
TEST(UsefulGpus, AreThoseOfAnyMesh) {
  const RunConfig config = slow_run(langevin(0.002), 10, 1);
  EXPECT_TRUE(are_useful(build_system(config, ions(50)), NeighborMethod::pair_list));
}

/// Molecules with a cutoff have not been measured.
TEST(UsefulGpus, AreWhatTheUserSaysOtherwise) {
  RunConfig config;
  config.file = "built-in-code";
  config.units = UnitSystem::real;
  config.lennard_jones = LennardJonesConfig{.epsilon = {}, .sigma = {}, .treatment = {"none"}};
  config.integrator = {"velocity-verlet", {{"timestep", 1.0}}};
  const WaterComposition composition{.model = water_models()[0], .waters = 30};
  EXPECT_TRUE(are_useful(water_droplet(composition, config), NeighborMethod::pair_list));
}

}  // namespace
}  // namespace dropmd

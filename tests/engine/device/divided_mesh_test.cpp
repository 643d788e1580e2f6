#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/device/device_run.h"
#include "tests/engine/device/several_gpus.h"
#include "tests/support/molecules/water_droplet.h"
#include "tests/support/slow_forces.h"

/// A run on several GPUs that divide a mesh has the bytes of the same run on one.
namespace dropmd {
namespace {

class SeveralGpusWithAMesh : public SeveralGpus {
 protected:
  std::vector<Method> dividing_the_mesh() const {
    std::vector<Method> methods = on_several();
    for (Method& method : methods) method.divides_mesh = true;
    return methods;
  }
  /// Whether the region of a state's only term of many atoms has a mesh.
  static bool has_mesh(const RunState& state) {
    constexpr std::size_t kPointsAlongX = 3;  // MeshRegion::numbers()
    return state.term_states.size() == 2 && state.term_states[1].size() > kPointsAlongX &&
           state.term_states[1][kPointsAlongX] > 0;
  }
  /// Moves atoms of a ball outwards, so far that they are not near each other.
  static Structure with_some_far_away(Structure structure) {
    double radius = 0;
    for (const Vec3<double>& x : structure.position) radius = std::max(radius, norm(x));
    for (std::size_t i = 0; i < structure.position.size(); i += 20)
      if (norm(structure.position[i]) > 0.25 * radius) structure.position[i] = 8.0 * structure.position[i];
    return structure;
  }
};
INSTANTIATE_TEST_SUITE_P(Methods, SeveralGpusWithAMesh, all_device_methods(), name_of_device_method);

/// Each GPU spreads and interpolates for some atoms, and one has the charges outside of the mesh. Resumed, one run
/// continues the other.
TEST_P(SeveralGpusWithAMesh, DivideIt) {
  for (const int shell : {50, 150})  // 767 and 3,935 ions
    for (const bool with_vapour : {false, true}) {
      SCOPED_TRACE(std::to_string(shell) + (with_vapour ? " with a vapour" : ""));
      RunConfig config = slow_run(langevin(0.002), 240, 1);
      config.precision = GetParam().precision;
      config.recenter_every = 50;
      config.recenter = Recenter::geometric;
      const System system = build_system(config, with_vapour ? with_some_far_away(ions(shell)) : ions(shell));
      const Seen one = seen_of(system, config, on_one(), 110);
      ASSERT_TRUE(one.state);
      EXPECT_TRUE(has_mesh(*one.state));
      for (const Method& method : dividing_the_mesh()) {
        const std::string how = make_device_run(system, config, method, 2100)->describe_peers();
        EXPECT_NE(how.find("divide the mesh"), std::string::npos) << how;
        const Seen several = seen_of(system, config, method, 110);
        expect_same(several, one);
        ASSERT_TRUE(several.state);
        expect_same(seen_of(system, config, with_choice(method, one.state->choice), -1, &*one.state), one);
        expect_same(seen_of(system, config, with_choice(on_one(), several.state->choice), -1, &*several.state), one);
      }
    }
}

TEST_P(SeveralGpusWithAMesh, BreakAtTheStepOfOne) {
  RunConfig config = slow_run(verlet(0.002), 400, 1);
  config.precision = GetParam().precision;
  Structure structure = ions(50);
  structure.velocity.assign(structure.position.size(), {0, 0, 0});
  add_head_on_pair(structure, 3.0);
  const std::string of_one = fault_of(config, structure, on_one());
  EXPECT_NE(of_one, "no error");
  for (const Method& method : dividing_the_mesh()) EXPECT_EQ(fault_of(config, structure, method), of_one);
}

class SeveralGpusWithAMeshOfWater : public SeveralGpusWithAMesh {};
INSTANTIATE_TEST_SUITE_P(Methods, SeveralGpusWithAMeshOfWater,
                         testing::Values(DeviceMethod{Precision::mixed, NeighborMethod::all_pairs},
                                         DeviceMethod{Precision::fp64, NeighborMethod::all_pairs}),
                         name_of_device_method);

/// With exclusions, whose part of the mesh one GPU subtracts.
TEST_P(SeveralGpusWithAMeshOfWater, DivideIt) {
  RunConfig config;
  config.file = "built-in-code";
  config.units = UnitSystem::real;
  config.lennard_jones =
      LennardJonesConfig{.epsilon = {}, .sigma = {}, .treatment = {"force-shift", {{"cutoff", 9.0}}}};
  config.coulomb = FormChoice{"exact"};
  config.coulomb_settings.method = CoulombMethod::mesh;
  config.coulomb_settings.accuracy = 1e-4;
  config.precision = GetParam().precision;
  config.backend = Backend::cpu;  // whose prices choose the mesh
  config.integrator = {"langevin", {{"timestep", 1.0}, {"temperature", 300.0}, {"friction", 0.01}}};
  config.steps = 220;
  const WaterComposition composition{.model = water_models()[0], .waters = 300};
  const System system = water_droplet(composition, config);
  const Seen one = seen_of(system, config, on_one(), 110);
  ASSERT_TRUE(one.state);
  EXPECT_TRUE(has_mesh(*one.state));
  for (const Method& method : dividing_the_mesh()) expect_same(seen_of(system, config, method), one);
}

}  // namespace
}  // namespace dropmd

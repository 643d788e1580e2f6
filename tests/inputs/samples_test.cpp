#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/vec3.h"
#include "inputs/run_file/run_file.h"
#include "inputs/structures/structure_file.h"
#include "tests/support/form_catalog.h"
#include "tests/support/needed_file.h"

/// The samples can be read, and are what inputs/samples/README.md says.
namespace dropmd {
namespace {

std::filesystem::path sample(const char* name) { return source_file(std::filesystem::path("inputs/samples") / name); }

TEST(Samples, Droplet4139) {
  const RunConfig config = read_run_file(sample("droplet-4139.toml"), test_form_catalog());
  EXPECT_EQ(config.units, UnitSystem::real);
  EXPECT_EQ(config.lennard_jones->treatment.form, "force-shift");
  EXPECT_EQ(config.coulomb->form, "reaction-field");
  EXPECT_EQ(config.fields.at("wall").at("radius"), 40);
  EXPECT_TRUE(config.warnings.empty());
  const Structure structure = read_structure_file(config.structure);
  EXPECT_EQ(structure.position.size(), 4139U);
  EXPECT_EQ(structure.radius, 25.638);
  EXPECT_TRUE(
      std::all_of(structure.charge.begin(), structure.charge.end(), [](double q) { return q == 0.2 || q == -0.2; }));
}

TEST(Samples, Droplet4139Map) {
  const RunConfig config = read_run_file(sample("droplet-4139-map.toml"), test_form_catalog());
  ASSERT_TRUE(config.map);
  EXPECT_EQ(config.steps / config.map->every + 1, 11);
  EXPECT_EQ(config.map->choices.spacing.x, 1);
  EXPECT_EQ(config.map->choices.unit, MapUnit::volt);
  EXPECT_TRUE(config.map->average);
}

TEST(Samples, LennardJonesCluster13) {
  const RunConfig config = read_run_file(sample("lj-cluster-13.toml"), test_form_catalog());
  EXPECT_EQ(config.units, UnitSystem::lj);
  EXPECT_EQ(config.integrator.form, "fire");
  EXPECT_FALSE(config.coulomb);
  EXPECT_FALSE(config.fields.contains("wall"));
  const Structure structure = read_structure_file(config.structure);
  ASSERT_EQ(structure.position.size(), 13U);
  for (const Vec3<double>& x : structure.position) EXPECT_LT(norm(x), 1.1 + 0.1 * std::sqrt(3.0));
}

}  // namespace
}  // namespace dropmd

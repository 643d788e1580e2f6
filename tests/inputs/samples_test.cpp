#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/vec3.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/run_file.h"
#include "inputs/structures/structure_file.h"
#include "tests/support/form_catalog.h"
#include "tests/support/system/needed_file.h"

/// The samples can be read and match their description in inputs/samples/README.md.
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

TEST(Samples, Nacl216) {
  const RunConfig config = read_run_file(sample("nacl-216.toml"), test_form_catalog());
  EXPECT_EQ(config.units, UnitSystem::real);
  ASSERT_TRUE(config.born_mayer);
  EXPECT_EQ(config.born_mayer->treatment.form, "none");
  EXPECT_EQ(config.coulomb->form, "exact");
  ASSERT_EQ(config.pairs.size(), 3U);
  // Fumi and Tosi's parameters in their own units: 1e-19 J, 1e-79 J m^6 and 1e-99 J m^8 in kcal/mol and powers of Å.
  constexpr double kUnit = 1e-19 * 6.02214076e23 / 4184;
  const double a[] = {0.338 * 1.25, 0.338, 0.338 * 0.75}, c[] = {1.68, 11.2, 116}, d[] = {0.8, 13.9, 233};
  const double sigma[] = {1.17 + 1.17, 1.17 + 1.585, 1.585 + 1.585};
  for (std::size_t k = 0; k < 3; ++k) {
    const BornMayerValues& pair = config.pairs[k].born_mayer;
    EXPECT_NEAR(pair.a, a[k] * kUnit, 1e-6 * pair.a);
    EXPECT_EQ(pair.rho, 0.317);
    EXPECT_NEAR(pair.sigma, sigma[k], 1e-12);
    EXPECT_NEAR(pair.c, c[k] * kUnit, 1e-6 * pair.c);
    EXPECT_NEAR(pair.d, d[k] * kUnit, 1e-6 * pair.d);
  }
  const Structure structure = read_structure_file(config.structure);
  EXPECT_EQ(structure.position.size(), 216U);
  EXPECT_EQ(std::count(structure.species.begin(), structure.species.end(), 0U), 108);
}

}  // namespace
}  // namespace dropmd

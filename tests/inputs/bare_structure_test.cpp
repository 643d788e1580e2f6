#include "inputs/structures/bare_structure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "inputs/run_file/run_config.h"
#include "tests/support/form_catalog.h"

namespace dropmd {
namespace {

TEST(BareStructure, DropletFileRunsAsIn2009) {
  const RunConfig config = bare_structure_config("folder/a.drop", test_form_catalog());
  EXPECT_EQ(config.structure, "folder/a.drop");
  EXPECT_EQ(config.units, UnitSystem::lj);
  EXPECT_EQ(config.mass, 1);
  EXPECT_EQ(config.lennard_jones->epsilon, 0.2);
  // 2 ulp: one rounding each of the sixth root and of the product
  EXPECT_NEAR(config.lennard_jones->sigma.value() * std::exp2(1.0 / 6.0), 2.5, 2 * 4.5e-16);
  EXPECT_EQ(config.lennard_jones->treatment.form, "none");
  EXPECT_EQ(config.coulomb->form, "exact");
  EXPECT_EQ(config.fields.at("wall").form, "quartic");
  EXPECT_EQ(config.fields.at("wall").at("stiffness"), 0.01);
  EXPECT_FALSE(config.fields.at("wall").has("radius"));
  EXPECT_EQ(config.integrator.form, "descent");
  EXPECT_EQ(config.integrator.at("factor"), 0.01);
  EXPECT_EQ(config.recenter, Recenter::geometric);
  EXPECT_EQ(config.recenter_every, 100);
  EXPECT_EQ(config.steps, 1000);
  EXPECT_EQ(config.output_directory, "a-out");
  EXPECT_EQ(config.final_file, "final.drop");
}

TEST(BareStructure, ChargesAlone) {
  const RunConfig config = charges_alone_config("a.xyz", UnitSystem::real);
  EXPECT_EQ(config.structure, "a.xyz");
  EXPECT_EQ(config.units, UnitSystem::real);
  EXPECT_FALSE(config.lennard_jones);
  EXPECT_FALSE(config.coulomb);
}

}  // namespace
}  // namespace dropmd

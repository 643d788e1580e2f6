#include "engine/jobs/water/generate_water.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/rayleigh_limit.h"
#include "neighbor/cells/cell_index.h"

/// What a generated droplet of water promises: contents, geometry, contacts, and where ions are.
namespace dropmd {
namespace {

WaterRecipe recipe_of(const WaterModel& model, std::size_t waters,
                      const std::vector<std::pair<const char*, std::size_t>>& ions, double relative_density = 1) {
  WaterRecipe recipe{.composition = {.model = model, .waters = waters}};
  for (const auto& [name, count] : ions) recipe.composition.ions.push_back({*ion_named(name, model.ions), count});
  recipe.radius = liquid_radius(static_cast<double>(recipe.composition.molecules()) / relative_density);
  return recipe;
}

/// Shortest distances between atoms of different molecules, by the first letters of their names. Ions count as oxygens.
struct Contacts {
  double heavy = std::numeric_limits<double>::infinity(), mixed = heavy, hydrogens = heavy;
  std::size_t hydrogen_bonds = 0;  ///< hydrogens with an oxygen of another molecule within 2.7 Å
};

Contacts contacts_of(const GeneratedWater& droplet) {
  constexpr double kCell = 4;  // all contacts are shorter
  const std::vector<Vec3<double>>& x = droplet.particles.position;
  const AtomNames& names = droplet.names;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> cells;
  for (std::size_t i = 0; i < x.size(); ++i) cells[cell_hash(cell_index(x[i], 1 / kCell))].push_back(i);
  Contacts contacts;
  for (std::size_t i = 0; i < x.size(); ++i) {
    bool bonded = false;
    std::vector<std::uint32_t> hashes;
    for (int a = -1; a <= 1; ++a)
      for (int b = -1; b <= 1; ++b)
        for (int c = -1; c <= 1; ++c) hashes.push_back(cell_hash(cell_index(x[i], 1 / kCell) + CellIndex{a, b, c}));
    std::sort(hashes.begin(), hashes.end());
    hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
    for (const std::uint32_t hash : hashes) {
      const auto found = cells.find(hash);
      if (found == cells.end()) continue;
      for (const std::size_t j : found->second) {
        const char first = names.atom_name[i][0], second = names.atom_name[j][0];
        if (names.residue_number[i] == names.residue_number[j] || first == 'M' || second == 'M') continue;
        const double r = norm(x[i] - x[j]);
        double& least = first == 'H' && second == 'H'   ? contacts.hydrogens
                        : first == 'H' || second == 'H' ? contacts.mixed
                                                        : contacts.heavy;
        least = std::min(least, r);
        bonded = bonded || (first == 'H' && second == 'O' && r < 2.7);
      }
    }
    if (bonded) ++contacts.hydrogen_bonds;
  }
  return contacts;
}

void expect_no_contacts(const Contacts& contacts, const std::string& what) {
  EXPECT_GE(contacts.heavy, 2.4) << what;
  EXPECT_GE(contacts.mixed, 1.6) << what;
  EXPECT_GE(contacts.hydrogens, 1.5) << what;
}

TEST(GenerateWater, CountsAndOrder) {
  for (const WaterModel& model : water_models())
    for (const std::size_t waters : {1U, 2U, 3U, 1000U}) {
      const WaterRecipe recipe = recipe_of(model, waters, {{"Na", 2}, {"Cl", 1}});
      const GeneratedWater droplet = generate_water(recipe);
      const std::size_t n = waters * model.size() + 3;
      ASSERT_EQ(droplet.particles.size(), n);
      ASSERT_EQ(recipe.composition.atoms(), n);
      ASSERT_EQ(droplet.names.atom_name.size(), n);
      for (std::size_t i = 0; i < n - 3; ++i) {
        ASSERT_EQ(droplet.names.atom_name[i], kWaterAtomNames.at(i % model.size()));
        ASSERT_EQ(droplet.names.residue_name[i], "SOL");
        ASSERT_EQ(droplet.names.residue_number[i], static_cast<std::int32_t>(i / model.size() + 1));
      }
      EXPECT_EQ(droplet.names.atom_name[n - 3], "NA");
      EXPECT_EQ(droplet.names.atom_name[n - 2], "NA");
      EXPECT_EQ(droplet.names.residue_name[n - 1], "CL");
      EXPECT_EQ(droplet.names.residue_number[n - 1], static_cast<std::int32_t>(waters + 3));
      double charge = 0;
      for (const double q : droplet.particles.charge) charge += q;
      EXPECT_NEAR(charge, 1, 1e-9);
    }
}

TEST(GenerateWater, MoleculesAreThoseOfTheModel) {
  for (const WaterModel& model : water_models()) {
    const GeneratedWater droplet = generate_water(recipe_of(model, 300, {}));
    for (std::size_t i = 0; i < droplet.particles.size(); i += model.size()) {
      const Vec3<double>* const x = &droplet.particles.position[i];
      ASSERT_NEAR(norm(x[1] - x[0]), model.bond, 1e-11);
      ASSERT_NEAR(norm(x[2] - x[0]), model.bond, 1e-11);
      ASSERT_NEAR(norm(x[1] - x[2]), model.hydrogen_distance(), 1e-11);
      if (model.has_site()) {
        const Vec3<double> site = x[0] + model.site_coefficient() * (x[1] + x[2] - 2.0 * x[0]);
        ASSERT_NEAR(norm(x[3] - site), 0, 1e-11);
      }
    }
  }
}

TEST(GenerateWater, NothingOverlaps) {
  for (const WaterModel& model : water_models())
    for (const double density : {1.0, kLargestRelativeDensity})
      for (const std::size_t waters : {2U, 3U, 1000U}) {
        WaterRecipe recipe = recipe_of(model, waters, {{"Li", 3}, {"I", 3}}, density);
        for (recipe.seed = 0; recipe.seed < 3; ++recipe.seed)
          expect_no_contacts(contacts_of(generate_water(recipe)), std::string(model.name) + std::to_string(waters));
      }
}

TEST(GenerateWater, HydrogensPointToOxygens) {
  const WaterModel& model = water_models()[0];
  const Contacts contacts = contacts_of(generate_water(recipe_of(model, 1000, {})));
  EXPECT_GT(contacts.hydrogen_bonds, 1600U) << "of 2000 hydrogens, those at the surface included";
}

TEST(GenerateWater, DensityAndCentre) {
  EXPECT_NEAR(liquid_radius(1000), 19.28, 0.01) << "1000 waters of 30.0 cubic angstroms";
  EXPECT_NEAR(liquid_molecules(liquid_radius(1234)), 1234, 1e-9);
  const WaterModel& model = water_models()[2];
  for (const double density : {0.5, 1.0}) {
    const WaterRecipe recipe = recipe_of(model, 4000, {{"K", 40}}, density);
    const GeneratedWater droplet = generate_water(recipe);
    Vec3<double> sum;
    std::size_t inner = 0;
    for (std::size_t i = 0; i < droplet.particles.size(); ++i) {
      const char name = droplet.names.atom_name[i][0];
      if (name != 'O' && name != 'K') continue;
      const Vec3<double>& x = droplet.particles.position[i];
      sum += x;
      EXPECT_LE(norm(x), recipe.radius + 1);
      if (norm(x) < 0.7 * recipe.radius) ++inner;
    }
    EXPECT_LE(norm(sum), 1e-8);
    EXPECT_NEAR(static_cast<double>(inner), 4040 * 0.343, 50) << "uniform in the sphere";
  }
}

TEST(GenerateWater, IonsAreFarApartAndDeep) {
  const WaterRecipe recipe = recipe_of(water_models()[1], 2000, {{"Na", 12}, {"Cl", 4}});
  const GeneratedWater droplet = generate_water(recipe);
  const std::size_t first = droplet.particles.size() - 16;
  const auto distance = [&](std::size_t a, std::size_t b) {
    return norm(droplet.particles.position[first + a] - droplet.particles.position[first + b]);
  };
  for (std::size_t a = 0; a < 16; ++a) {
    EXPECT_LE(norm(droplet.particles.position[first + a]), recipe.radius - 5.5);
    for (std::size_t b = 0; b < a; ++b) {
      EXPECT_GE(distance(a, b), 9) << "16 spheres of this diameter fill a third of where ions may be";
      if (b >= 12) {
        EXPECT_GE(distance(a, b), 12) << "chlorides among themselves";
      }
    }
  }
  // More ions than there are sites in depth.
  const GeneratedWater brine = generate_water(recipe_of(water_models()[1], 10, {{"Na", 20}, {"Cl", 20}}));
  EXPECT_EQ(brine.particles.size(), 70U);
}

TEST(GenerateWater, IsAFunctionOfTheSeed) {
  WaterRecipe recipe = recipe_of(water_models()[0], 200, {{"Na", 3}});
  const GeneratedWater first = generate_water(recipe), again = generate_water(recipe);
  EXPECT_EQ(first.particles.position, again.particles.position);
  recipe.seed = 2;
  EXPECT_NE(first.particles.position, generate_water(recipe).particles.position);
}

TEST(GenerateWater, HundredThousand) {
  const WaterRecipe recipe = recipe_of(water_models()[0], 100000, {{"Na", 100}});
  const GeneratedWater droplet = generate_water(recipe);
  ASSERT_EQ(droplet.particles.size(), 300100U);
  expect_no_contacts(contacts_of(droplet), "100000");
}

TEST(GenerateWater, RayleighLimit) {
  // Known values for 69.3 mN/m and radii of 2, 2.5, 3 and 5 nm.
  EXPECT_NEAR(rayleigh_limit(20, 0.0693), 11.0, 0.05);
  EXPECT_NEAR(rayleigh_limit(25, 0.0693), 15.4, 0.05);
  EXPECT_NEAR(rayleigh_limit(30, 0.0693), 20.2, 0.05);
  EXPECT_NEAR(rayleigh_limit(50, 0.0693), 43.4, 0.05);
}

}  // namespace
}  // namespace dropmd

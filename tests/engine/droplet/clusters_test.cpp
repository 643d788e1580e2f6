#include "engine/droplet/clusters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "core/topology/present_atoms.h"
#include "engine/population/population_change.h"
#include "inputs/structures/structure_file.h"
#include "tests/support/molecules/reference_system.h"
#include "tests/support/short_run.h"

namespace dropmd {
namespace {

ClusterMeasure measured(const MoleculeTable& table, const Clusters& clusters, std::uint32_t cluster,
                        const Particles& particles) {
  return measure_cluster(table, clusters, cluster, molecule_centres(table, particles), particles);
}

using testing::ElementsAre;

TEST(Clusters, AreNumberedBySizeAndThenByTheSmallestMolecule) {
  const Clusters clusters = numbered_clusters(std::vector<std::uint32_t>{0, 1, 2, 1, 4, 2, 1, 4});
  EXPECT_THAT(clusters.size, ElementsAre(3, 2, 2, 1));
  EXPECT_THAT(clusters.number, ElementsAre(3, 0, 1, 0, 2, 1, 0, 2));
  EXPECT_TRUE(clusters.in_droplet(6));
  EXPECT_TRUE(numbered_clusters({}).size.empty());
}

TEST(Clusters, MoleculesLinkByTheirVanDerWaalsSites) {
  const RunConfig config = reference_config("spce_ions");
  const System system = reference_system("spce_ions", config);
  const MoleculeTable table = molecules_of(system);
  ASSERT_EQ(table.size(), 29U);
  EXPECT_EQ(table.site.size(), 29U) << "oxygens and ions";
  EXPECT_EQ(table.name.front(), "SOL");
  EXPECT_EQ(table.name.back(), "CL");
  EXPECT_EQ(table.charge[27], 1);
  EXPECT_NEAR(table.charge[0], 0, 1e-12);
  EXPECT_NEAR(table.mass[0], 18.0154, 1e-3);
  EXPECT_EQ(table.first_atom[1], 3U);
  EXPECT_EQ(table.of_atom[4], 1U);
  const Clusters all = find_clusters(table, system.particles.position, 3.5);
  EXPECT_EQ(all.size.front(), 29U) << "a droplet";
  EXPECT_EQ(find_clusters(table, system.particles.position, 1e-3).size.size(), 29U);
}

TEST(Clusters, AtomsWithoutATopologyAreMolecules) {
  RunConfig config = lj_run(verlet(0.01), 1);
  Structure structure;
  structure.position = {{0, 0, 0}, {1.4, 0, 0}, {9, 0, 0}, {10, 0, 0}, {10, 1, 0}};
  structure.species.assign(5, 0);
  structure.species_names = {"Ar"};
  const System system = build_system(config, structure);
  const MoleculeTable table = molecules_of(system);
  EXPECT_THAT(table.id, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(find_clusters(table, system.particles.position, usual_link_distance(UnitSystem::lj)).number,
              ElementsAre(1, 1, 0, 0, 0));
  config.lennard_jones.reset();
  EXPECT_EQ(molecules_of(build_system(config, structure)).site.size(), 5U) << "without a van der Waals term";
}

/// First and last molecule, some between them, and all but one.
TEST(Clusters, WhatRemainsOfATableIsTheTableOfWhatRemains) {
  const System system = reference_system("tip4p2005_hydronium", reference_config("tip4p2005_hydronium"));
  const MoleculeTable all = molecules_of(system);
  std::vector<std::uint32_t> ids(system.particles.size());
  std::iota(ids.begin(), ids.end(), 1U);
  const auto last = static_cast<std::uint32_t>(all.size() - 1);
  std::vector<std::vector<std::uint32_t>> cases{{0}, {last}, {0, 3, 4, last}, {}};
  for (std::uint32_t k = 0; k < last; ++k) cases.back().push_back(k);
  for (const std::vector<std::uint32_t>& leaving : cases) {
    PopulationChange change;
    for (const std::uint32_t k : leaving)
      for (const std::uint32_t i : all.atoms_of(k)) change.removed.push_back(i + 1);
    const System left = changed(system, change);
    const MoleculeTable expected = molecules_of(left);
    const MoleculeTable table = remaining(all, PresentAtoms(left.particles).of_all(ids));
    EXPECT_EQ(table.id, expected.id);
    EXPECT_EQ(table.first_atom, expected.first_atom);
    EXPECT_EQ(table.n_atoms, expected.n_atoms);
    EXPECT_EQ(table.mass, expected.mass);
    EXPECT_EQ(table.charge, expected.charge);
    EXPECT_EQ(table.name, expected.name);
    EXPECT_EQ(table.of_atom, expected.of_atom);
    EXPECT_EQ(table.site, expected.site);
    EXPECT_EQ(table.atom, expected.atom);
    EXPECT_EQ(table.begin, expected.begin);
  }
}

TEST(Clusters, ResiduesOfABareStructureAreMolecules) {
  Structure structure = read_structure_file(reference_folder("tip4p2005_hydronium") / "structure.gro");
  RunConfig config;
  config.units = UnitSystem::real;
  config.mass = 1;
  const System bare = build_system(config, structure);
  const MoleculeTable table = molecules_of(bare, structure);
  const RunConfig with_topology = reference_config("tip4p2005_hydronium");
  const MoleculeTable expected = molecules_of(reference_system("tip4p2005_hydronium", with_topology));
  EXPECT_EQ(table.id, expected.id);
  EXPECT_EQ(table.of_atom, expected.of_atom);
}

/// Points at random in a sphere: the radius is known to a few percent.
TEST(Clusters, TheRadiusIsThatOfTheSphereThatHoldsTheMolecules) {
  constexpr double kRadius = 20;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-kRadius, kRadius);
  Structure structure;
  while (structure.position.size() < 4000) {
    const Vec3<double> x{uniform(random), uniform(random), uniform(random)};
    if (norm(x) < kRadius) structure.position.push_back(x + Vec3<double>{100, -50, 7});
  }
  structure.species.assign(structure.position.size(), 0);
  structure.species_names = {"X1"};
  structure.charge.assign(structure.position.size(), 0.5);
  const System system = build_system(lj_run(verlet(0.01), 1), structure);
  const MoleculeTable table = molecules_of(system);
  const Clusters clusters = find_clusters(table, system.particles.position, 100);
  const ClusterMeasure droplet = measured(table, clusters, 0, system.particles);
  EXPECT_EQ(droplet.molecules, 4000U);
  EXPECT_EQ(droplet.atoms, 4000U);
  EXPECT_NEAR(droplet.charge, 2000, 1e-9);
  EXPECT_NEAR(droplet.mass, 4000, 1e-9);
  // The standard error of a coordinate's mean is 0.14; that of the median radius 0.5%.
  EXPECT_LT(norm(droplet.centre - Vec3<double>{100, -50, 7}), 1);
  EXPECT_NEAR(droplet.radius, kRadius, 0.02 * kRadius);
  EXPECT_NEAR(droplet.radius_of_gyration, std::sqrt(0.6) * kRadius, 0.02 * kRadius);
}

TEST(Clusters, OfASingleMoleculeAndOfNone) {
  Structure structure;
  structure.position = {{3, 4, 0}};
  structure.species = {0};
  structure.species_names = {"X1"};
  const System system = build_system(lj_run(verlet(0.01), 1), structure);
  const MoleculeTable table = molecules_of(system);
  const Clusters clusters = find_clusters(table, system.particles.position, 1);
  const ClusterMeasure droplet = measured(table, clusters, 0, system.particles);
  EXPECT_EQ(droplet.molecules, 1U);
  EXPECT_EQ(droplet.radius, 0);
  EXPECT_EQ(droplet.centre.x, 3);
  EXPECT_EQ(measured(table, clusters, 1, system.particles).molecules, 0U);
}

}  // namespace
}  // namespace dropmd

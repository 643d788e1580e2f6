#include "engine/jobs/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/model/coulomb_division.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/device_runs.h"

/// Comparisons of direct sums with a mesh.
namespace dropmd {
namespace {

RunConfig untruncated(CoulombMethod method = CoulombMethod::automatic) {
  RunConfig config = lj_run(verlet(0.002), 0);
  config.lennard_jones->treatment = {"force-shift", {{"cutoff", 2.5}}};
  config.coulomb = FormChoice{"exact"};
  config.coulomb_settings.method = method;
  config.backend = Backend::cpu;
  config.threads = 2;
  return config;
}

constexpr std::size_t kAtoms = 400;

Comparison compared(const RunConfig& config, std::size_t n_atoms = kAtoms) {
  return compare_methods(build_system(config, moving_atoms(n_atoms, 5)), config, 200);
}

/// Whatever method a run file names, both ways are compared with the same exact sums of 1/r.
TEST(Compare, HasRowsOfDirectSumsAndOfAMesh) {
  for (const CoulombMethod method : {CoulombMethod::automatic, CoulombMethod::direct, CoulombMethod::mesh}) {
    const Comparison comparison = compared(untruncated(method));
    ASSERT_TRUE(comparison.mesh);
    std::set<std::pair<CoulombMethod, Precision>> kinds;
    for (const CompareRow& row : comparison.rows) {
      EXPECT_TRUE(row.ok) << word_of(row.method.neighbor) << ' ' << row.rms_force_error;
      ASSERT_TRUE(row.coulomb);
      kinds.insert({*row.coulomb, row.method.precision});
      if (row.method.precision == Precision::fp64) {
        EXPECT_EQ(row.rms_force_error > 1e-9, *row.coulomb == CoulombMethod::mesh);
      }
      EXPECT_GT(row.microseconds, 0);
    }
    EXPECT_EQ(kinds.size(), 4U) << "both ways, in both precisions";
    EXPECT_EQ(comparison.reference.pairs_within_cutoff, kAtoms * (kAtoms - 1) / 2) << "the exact term has all pairs";
  }
}

TEST(Compare, SaysFromHowManyAtomsAMeshIsFaster) {
  const Comparison comparison = compared(untruncated());
  ASSERT_EQ(comparison.crossovers.size(), 2U) << "one for each precision";
  for (const MeshCrossover& crossover : comparison.crossovers) {
    EXPECT_NEAR(crossover.measured_atoms, kAtoms * crossover.mesh_microseconds / crossover.direct_microseconds, 1e-6);
    ASSERT_TRUE(crossover.estimated_atoms);
    // The estimate says what `auto` would take at that size.
    EXPECT_GT(*crossover.estimated_atoms, 300);
    EXPECT_LT(*crossover.estimated_atoms, 40'000);
  }
}

/// The crossover is that of the rule by which `auto` chooses.
TEST(Compare, EstimatesTheCrossoverAsAutoChooses) {
  RunConfig config = untruncated();
  config.coulomb_settings.accuracy = 1e-4;
  const System small = undivided(build_system(config, moving_atoms(1500, 5)));
  const std::optional<double> crossover = mesh_crossover(config, small, Backend::cpu);
  ASSERT_TRUE(crossover);
  const auto has_mesh = [&](double atoms) {
    return build_system(config, moving_atoms(static_cast<std::size_t>(atoms), 5)).mesh.has_value();
  };
  // The surface is a smaller part of a larger droplet; the estimate ignores this.
  EXPECT_FALSE(has_mesh(*crossover / 2));
  EXPECT_TRUE(has_mesh(*crossover * 2));
}

TEST(Compare, HasNoMeshWhereThereCanBeNone) {
  RunConfig config = untruncated();
  config.lennard_jones->treatment = {"none"};
  const Comparison all_pairs = compared(config, 100);
  EXPECT_FALSE(all_pairs.mesh);
  EXPECT_TRUE(all_pairs.crossovers.empty());
  for (const CompareRow& row : all_pairs.rows) EXPECT_EQ(row.coulomb, CoulombMethod::direct);
  config = untruncated();
  config.coulomb = FormChoice{"shift", {{"cutoff", 2.5}}};
  for (const CompareRow& row : compared(config, 100).rows) EXPECT_FALSE(row.coulomb);
}

/// A method that needs a cutoff has rows with the mesh alone; a fine accuracy has none in mixed precision.
TEST(Compare, LeavesOutWhatCannotBe) {
  RunConfig config = untruncated();
  config.neighbor = NeighborMethod::pair_list;
  for (const CompareRow& row : compared(config).rows) EXPECT_EQ(row.coulomb, CoulombMethod::mesh);
  config = untruncated();
  config.precision = Precision::fp64;
  config.coulomb_settings.accuracy = 1e-7;
  const Comparison fine = compared(config);
  EXPECT_TRUE(fine.mesh);
  for (const CompareRow& row : fine.rows)
    EXPECT_TRUE(row.coulomb == CoulombMethod::direct || row.method.precision == Precision::fp64);
  EXPECT_TRUE(fine.ok());
}

TEST(Compare, AnUndividedSystemHasTheTermInOnePiece) {
  RunConfig config = untruncated(CoulombMethod::mesh);
  const System system = build_system(config, moving_atoms(300, 5)), whole = undivided(system);
  ASSERT_TRUE(system.mesh);
  EXPECT_FALSE(whole.mesh);
  EXPECT_EQ(whole.model.coulomb->form, "exact");
  EXPECT_EQ(whole.terms.size() + 1, system.terms.size());
}

}  // namespace
}  // namespace dropmd

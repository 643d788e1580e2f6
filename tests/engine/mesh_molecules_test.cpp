#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "engine/force_field.h"
#include "engine/jobs/compare.h"
#include "engine/mesh_fit.h"
#include "engine/model/coulomb_division.h"
#include "engine/molecules/constrained_start.h"
#include "engine/molecules/molecules.h"
#include "engine/population/population_change.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure_file.h"
#include "tests/support/short_run.h"

/// Runs with molecules whose Coulomb term is divided between pairs and a mesh.
namespace dropmd {
namespace {

/// A run with the topology and the structure of a reference (tests/references).
RunConfig run_of(const std::string& name, const CoulombSettings& coulomb, std::int64_t steps = 0) {
  const std::filesystem::path folder = std::filesystem::path(DROPMD_SOURCE_DIR) / "tests/references" / name;
  RunConfig config;
  config.file = "built-in-code";
  config.units = UnitSystem::real;
  config.structure = (folder / "structure.gro").string();
  config.topology.file = folder / "topology.top";
  config.lennard_jones =
      LennardJonesConfig{.epsilon = {}, .sigma = {}, .treatment = {"force-shift", {{"cutoff", 7.0}}}};
  config.coulomb = FormChoice{"exact"};
  config.coulomb_settings = coulomb;
  config.integrator = verlet(1.0);
  config.steps = steps;
  config.temperature = 300;
  config.recenter_every = 0;
  config.recenter = Recenter::none;
  config.precision = Precision::fp64;
  config.backend = Backend::cpu;
  config.threads = 1;
  return config;
}
CoulombSettings by_mesh(double accuracy) { return {CoulombMethod::mesh, accuracy}; }

System system_of(const RunConfig& config) {
  System system = read_system(config);
  satisfy_constraints(system);
  return system;
}

/// The RMS error of the forces of a system's pairs and mesh against all pairs of the undivided term, before forces of
/// virtual sites are spread, relative to what accuracies refer to.
double error_of(const System& system) {
  const auto& position = system.particles.position;
  std::vector<std::uint32_t> all(position.size());
  std::iota(all.begin(), all.end(), 0U);
  const System whole = undivided(system);
  const auto exact = ForceField(whole, exact_method({1})).reference({position}, all);
  std::vector<Vec3<double>> force(position.size());
  ForceField(system, fp64_method()).evaluate({position}, Want::forces, force);
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) sum += squared_norm(force[i] - exact[i].force);
  return std::sqrt(sum / static_cast<double>(all.size())) / system.mesh->force;
}

double largest_difference(const std::vector<Vec3<double>>& a, const std::vector<Vec3<double>>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, norm(a[i] - b[i]));
  return largest;
}

class MeshOfMolecules : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Systems, MeshOfMolecules,
                         testing::Values("spce_ions", "tip3p_ions", "tip4p2005_hydronium", "charmm_peptide",
                                         "amber_peptide", "opls_alcohols", "site_1", "site_3out"),
                         [](const auto& test) { return test.param; });

TEST_P(MeshOfMolecules, HasTheForcesAndEnergiesOfDirectSums) {
  for (const double accuracy : {1e-3, 1e-5}) {
    const System system = system_of(run_of(GetParam(), by_mesh(accuracy)));
    ASSERT_TRUE(system.mesh);
    const double error = error_of(system);
    RecordProperty("error", std::to_string(error));
    std::printf("[ measured ] %s accuracy %g: %.2g, F %.3g\n", GetParam().c_str(), accuracy, error, system.mesh->force);
    EXPECT_LE(error, accuracy);
    const System whole = undivided(system);
    std::vector<Vec3<double>> force(system.particles.size());
    const Moment now{system.particles.position};
    const Energies of_mesh = ForceField(system, fp64_method()).evaluate(now, Want::forces_and_energies, force).energies;
    const Energies direct = ForceField(whole, fp64_method()).evaluate(now, Want::forces_and_energies, force).energies;
    // Errors of the forces, independent of each other, over the distance of the cutoff.
    const double scale =
        system.mesh->force * system.mesh->parameters.cutoff * std::sqrt(static_cast<double>(system.particles.size()));
    for (const auto& [name, energy] : direct.components())
      EXPECT_NEAR(of_mesh.of(name), energy, name == "coulomb" ? accuracy * scale : 1e-9) << name;
    const Energies exact = ForceField(system, exact_method({1})).reference_energies(now, std::nullopt);
    EXPECT_NEAR(exact.of("coulomb"), direct.of("coulomb"), 1e-9);
  }
}

/// What a run measures of its mesh counts the same pairs.
TEST_P(MeshOfMolecules, IsFittedToWhatIsMeasured) {
  const RunConfig config = run_of(GetParam(), by_mesh(1e-4));
  System system = system_of(config);
  fit_mesh(system, config, fp64_method());
  EXPECT_TRUE(system.mesh->fitted);
  EXPECT_EQ(system.mesh->refinements, 0);
  EXPECT_LE(error_of(system), 1e-4);
}

TEST_P(MeshOfMolecules, IsComparedWithDirectSums) {
  const RunConfig config = run_of(GetParam(), by_mesh(1e-4));
  const Comparison comparison = compare_methods(system_of(config), config, std::nullopt, Precision::fp64);
  EXPECT_GE(comparison.rows.size(), 4U);
  for (const CompareRow& row : comparison.rows)
    EXPECT_TRUE(row.ok) << word_of(row.method.neighbor) << ' ' << row.rms_force_error << ' '
                        << row.relative_energy_error;
}

/// Rigid water and ions: the forces' errors of 1e-5 · 15 kcal/mol/Å move a hydrogen by 5e-5 Å in 40 fs.
TEST(MeshOfWater, RunsAsWithDirectSums) {
  const RunConfig config = run_of("spce_ions", by_mesh(1e-5), 40);
  const RunConfig direct_config = run_of("spce_ions", {CoulombMethod::direct}, 40);
  System of_mesh = system_of(config), direct = system_of(direct_config), threads = of_mesh;
  const RunResult run = run_short(of_mesh, config, fp64_method(), 1);
  const RunResult expected = run_short(direct, direct_config, fp64_method(), 1);
  EXPECT_LT(largest_difference(of_mesh.particles.position, direct.particles.position), 2e-4);
  for (std::size_t k = 0; k < run.rows.size(); ++k)
    EXPECT_NEAR(run.rows[k].energies.total(), expected.rows[k].energies.total(), 1e-3) << k;
  run_short(threads, config, fp64_method(2), 0);
  EXPECT_EQ(largest_difference(threads.particles.position, of_mesh.particles.position), 0);
}

/// The slow forces are those of the mesh and of the excluded pairs: the force of a molecule on its own atoms, of some
/// hundred kcal/mol/Å, is in neither part.
TEST(MeshOfWater, HasTheExcludedPairsInTheSlowForces) {
  CoulombSettings settings = by_mesh(1e-5);
  settings.mesh_every = 2;
  const RunConfig config = run_of("spce_ions", settings, 200);
  System system = system_of(config);
  ASSERT_EQ(system.outer.every, 2);
  const Moment now{system.particles.position};
  std::vector<std::uint32_t> all(system.particles.size());
  std::iota(all.begin(), all.end(), 0U);
  std::vector<AtomSums> exact(all.size());
  mesh_term_of(system)->on_host({1}, system.particles)->add_reference({1}, now, all, exact);
  ForceField field(system, fp64_method());
  const std::span<const Vec3<double>> slow = field.evaluate_slow(now);
  std::vector<Vec3<double>> fast(all.size()), sum(all.size());
  field.evaluate_fast(now, fast);
  field.evaluate(now, Want::forces, sum);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_LE(norm(slow[i] - exact[i].force), 30 * 1e-5 * system.mesh->force) << i;
    EXPECT_LE(norm(fast[i] + slow[i] - sum[i]), 1e-11) << i;
  }
  const RunResult run = run_short(system, config, fp64_method(), 2);
  double worst = 0;
  for (const EnergyRow& row : run.rows)
    worst = std::max(worst, std::abs(row.energies.total() - run.rows[0].energies.total()));
  std::printf("[ measured ] energy within %.3g of %.4g, kinetic\n", worst, run.last.energies.kinetic);
  EXPECT_LE(worst, 5e-3 * run.last.energies.kinetic);
}

TEST(MeshOfWater, ContinuesWithoutSomeMolecules) {
  for (const char* name : {"spce_ions", "tip4p2005_hydronium"}) {
    const System system = system_of(run_of(name, by_mesh(1e-4)));
    PopulationChange change;
    for (std::size_t i = 0; i < system.particles.size(); ++i) {
      const std::uint32_t id = system.particles.id_of(i), molecule = system.topology->molecule_of(id - 1);
      if (molecule > 9 && molecule < 30) change.removed.push_back(id);
    }
    ASSERT_GT(change.removed.size(), 5U);
    const System rest = changed(system, change);
    EXPECT_LE(error_of(rest), 1e-4);
  }
}

}  // namespace
}  // namespace dropmd

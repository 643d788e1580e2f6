#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
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
#include "tests/forces/mesh/mesh_systems.h"
#include "tests/support/short_run.h"
#include "tests/support/system/temp_folder.h"

/// Runs with molecules whose Coulomb term is divided between pairs and a mesh.
namespace dropmd {
namespace {

/// What a run with molecules is made of.
struct Inputs {
  RunConfig config;
  Structure structure;
  std::shared_ptr<const MolecularModel> molecules;

  System system() const {
    System made = build_system(config, structure, molecules);
    satisfy_constraints(made, made.particles.position, made.particles.velocity);
    return made;
  }
};

/// A droplet of n molecules of water, one in a cube of 3.6 Å, in random orientations; a fourth site is at the oxygen.
Structure water(std::size_t n, std::size_t sites) {
  const Particles three = mesh_system("water", 3 * n);
  Structure structure;
  structure.species_names = {"O", "H", "M"};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < sites; ++k) {
      const Vec3<double>& oxygen = three.position[3 * i];
      structure.position.push_back(three.position[3 * i + k % 3] + 0.16 * oxygen);
      structure.species.push_back(k == 0 ? 0 : k < 3 ? 1 : 2);
    }
  return structure;
}

/// A reference (tests/references), or "spce_ions 400": that many molecules of its water instead.
Inputs inputs_of(const std::string& name, const CoulombSettings& coulomb, std::int64_t steps = 0) {
  const std::size_t space = name.find(' ');
  const std::filesystem::path folder =
      std::filesystem::path(DROPMD_SOURCE_DIR) / "tests/references" / name.substr(0, space);
  Inputs inputs;
  RunConfig& config = inputs.config;
  config.file = "built-in-code";
  config.units = UnitSystem::real;
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
  const TempFolder temp;
  if (space == std::string::npos) {
    inputs.structure = read_structure_file(folder / "structure.gro");
  } else {
    std::ifstream file(config.topology.file);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    text.resize(text.find("[ molecules ]"));
    config.topology.file = temp.write("topology.top", text + "[ molecules ]\nSOL" + name.substr(space) + '\n');
    inputs.structure = water(std::stoul(name.substr(space)), name.starts_with("tip4p") ? 4 : 3);
  }
  inputs.molecules = read_molecules(config, inputs.structure);
  return inputs;
}
CoulombSettings by_mesh(double accuracy) { return {CoulombMethod::mesh, accuracy}; }

/// Whether charges are on a mesh; those of a few atoms are cheaper without.
bool has_points(const System& system) { return mesh_term_of(system)->expected().points[0] > 0; }

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

class MeshOfMolecules : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Systems, MeshOfMolecules,
                         testing::Values("spce_ions", "tip4p2005_hydronium", "charmm_peptide", "site_3out",
                                         "spce_ions 400", "tip4p2005_hydronium 300"),
                         [](const auto& test) {
                           std::string text = test.param;
                           std::replace(text.begin(), text.end(), ' ', '_');
                           return text;
                         });

TEST_P(MeshOfMolecules, HasTheForcesAndEnergiesOfDirectSums) {
  for (const double accuracy : {1e-3, 1e-5}) {
    const System system = inputs_of(GetParam(), by_mesh(accuracy)).system();
    ASSERT_TRUE(system.mesh);
    EXPECT_EQ(has_points(system), system.particles.size() > 1000);
    const double error = error_of(system);
    RecordProperty("error", std::to_string(error));
    EXPECT_LE(error, accuracy);
    const System whole = undivided(system);
    std::vector<Vec3<double>> force(system.particles.size());
    const Moment now{system.particles.position};
    const Energies of_mesh = ForceField(system, fp64_method()).evaluate(now, Want::forces_and_energies, force).energies;
    const Energies direct = ForceField(whole, fp64_method()).evaluate(now, Want::forces_and_energies, force).energies;
    // The scale of errors of the energy, as in tests/forces/mesh/mesh_exclusions_test.cpp.
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
  const Inputs inputs = inputs_of(GetParam(), by_mesh(1e-4));
  System system = inputs.system();
  fit_mesh(system, inputs.config, fp64_method());
  EXPECT_TRUE(system.mesh->fitted);
  EXPECT_EQ(system.mesh->refinements, 0);
  EXPECT_LE(error_of(system), 1e-4);
}

TEST_P(MeshOfMolecules, IsComparedWithDirectSums) {
  const Inputs inputs = inputs_of(GetParam(), by_mesh(1e-4));
  const Comparison comparison = compare_methods(inputs.system(), inputs.config, std::nullopt, Precision::fp64);
  EXPECT_GE(comparison.rows.size(), 4U);
  for (const CompareRow& row : comparison.rows)
    EXPECT_TRUE(row.ok) << word_of(row.method.neighbor) << ' ' << row.rms_force_error << ' '
                        << row.relative_energy_error;
}

/// Rigid water: errors of the forces of 1e-5 · 20 kcal/mol/Å move a hydrogen by 2e-6 Å in 20 fs, and some atoms by
/// more.
TEST(MeshOfWater, RunsAsWithDirectSums) {
  for (const char* name : {"spce_ions", "spce_ions 400", "tip4p2005_hydronium 300"}) {
    SCOPED_TRACE(name);
    const Inputs by = inputs_of(name, by_mesh(1e-5), 20), directly = inputs_of(name, {CoulombMethod::direct}, 20);
    System of_mesh = by.system(), direct = directly.system(), threads = of_mesh;
    EXPECT_EQ(has_points(of_mesh), of_mesh.particles.size() > 1000);
    const RunResult run = run_short(of_mesh, by.config, fp64_method(), 1);
    const RunResult expected = run_short(direct, directly.config, fp64_method(), 1);
    const double moved = largest_difference(of_mesh.particles.position, direct.particles.position);
    double energy = 0;
    for (std::size_t k = 0; k < run.rows.size(); ++k)
      energy = std::max(energy, std::abs(run.rows[k].energies.total() - expected.rows[k].energies.total()));
    EXPECT_LT(moved, 1e-4);
    EXPECT_LT(energy, 0.05);
    run_short(threads, by.config, fp64_method(2), 0);
    EXPECT_EQ(largest_difference(threads.particles.position, of_mesh.particles.position), 0);
  }
}

/// The slow forces are those of the mesh and of the excluded pairs: the force of a molecule on its own atoms, of some
/// hundred kcal/mol/Å, is in neither part.
TEST(MeshOfWater, HasTheExcludedPairsInTheSlowForces) {
  CoulombSettings settings = by_mesh(1e-5);
  settings.mesh_every = 2;
  const Inputs inputs = inputs_of("spce_ions 400", settings, 100);
  const System system = inputs.system();
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
  const auto drift = [](System of, const RunConfig& run_config) {
    const RunResult run = run_short(of, run_config, fp64_method(), 2);
    double square = 0;
    for (const EnergyRow& row : run.rows)
      square += std::pow(row.energies.total() - run.rows[0].energies.total(), 2) / static_cast<double>(run.rows.size());
    return std::sqrt(square);
  };
  const Inputs every_step = inputs_of("spce_ions 400", by_mesh(1e-5), 100);
  const double of_slow = drift(system, inputs.config), of_all = drift(every_step.system(), every_step.config);
  EXPECT_LE(of_slow, 2 * of_all);
}

TEST(MeshOfWater, ContinuesWithoutSomeMolecules) {
  for (const char* name : {"spce_ions 400", "tip4p2005_hydronium 300"}) {
    const System system = inputs_of(name, by_mesh(1e-4)).system();
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

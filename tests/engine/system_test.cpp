#include "engine/model/system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/errors.h"
#include "engine/model/origins.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"

/// A system built from a structure and a run file.
namespace dropmd {
namespace {

using testing::HasSubstr;

/// Na, Cl, Ar, Na; the run file lists the species in another order.
Structure salt() {
  Structure structure;
  structure.title = "salt";
  structure.position = {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}, {0, 0, 3}};
  structure.species = {0, 1, 2, 0};
  structure.species_names = {"Na", "Cl", "Ar"};
  return structure;
}

RunConfig salt_run() {
  RunConfig config;
  config.file = "salt.toml";
  config.units = UnitSystem::real;
  config.lennard_jones = LennardJonesConfig{.epsilon = {}, .sigma = {}, .treatment = {"none"}};
  config.species = {{.name = "Ar", .mass = 39.95, .charge = {}, .epsilon = 0.25, .sigma = 3.4},
                    {.name = "Cl", .mass = 35.45, .charge = -1.0, .epsilon = 0.1, .sigma = 4.4},
                    {.name = "Na", .mass = 22.99, .charge = 1.0, .epsilon = 0.04, .sigma = 2.6}};
  return config;
}

std::string error_of(const RunConfig& config, const Structure& structure) {
  try {
    build_system(config, structure);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// ε and σ of two species, by their index in the structure.
LjParameters pair_of(const System& system, std::size_t a, std::size_t b) {
  return system.model.lj_parameters[a * system.model.n_species + b];
}

RunConfig born_mayer_run() {
  RunConfig config = salt_run();
  config.lennard_jones.reset();
  config.born_mayer = BornMayerConfig{.values = {}, .treatment = {"none"}};
  config.coulomb = FormChoice{"exact"};
  for (const char* first : {"Ar", "Cl", "Na"})
    for (const char* second : {"Ar", "Cl", "Na"})
      if (std::string(first) <= second)
        config.pairs.push_back({.first = second, .second = first, .born_mayer = {20000.0 + *first, 0.3, 0, 100, 10}});
  return config;
}

/// A pair may be named in either order; barriers are those for the charges that the atoms have.
TEST(System, BornMayerPairsFillTheTable) {
  const System system = build_system(born_mayer_run(), salt());
  const PairModel& model = system.model;
  ASSERT_EQ(model.n_species, 3U);
  EXPECT_FALSE(model.lj);
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) {
      const std::string names = std::min(system.particles.species_names[a], system.particles.species_names[b]);
      EXPECT_EQ(model.born_mayer_parameters[3 * a + b].a, 20000.0 + names[0]) << a << b;
      EXPECT_GT(model.barrier(a, b), 0);
      EXPECT_EQ(model.barrier(a, b), model.barrier(b, a));
    }
  RunConfig neutral = born_mayer_run();
  neutral.coulomb.reset();
  const System without = build_system(neutral, salt());
  double largest = 0;
  for (std::size_t k = 0; k < 9; ++k) largest = std::max(largest, system.model.born_mayer_parameters[k].barrier);
  EXPECT_GT(largest, without.model.largest_barrier()) << "attraction of the ions";
}

TEST(System, BornMayerPairsThatAreMissingOrCollapseAreErrors) {
  RunConfig config = born_mayer_run();
  std::erase_if(config.pairs, [](const PairConfig& pair) { return pair.first == "Na" && pair.second == "Na"; });
  EXPECT_THAT(error_of(config, salt()), testing::HasSubstr("[born-mayer] has no [[pair]] of 'Na' and 'Na'"));
  config = born_mayer_run();
  for (PairConfig& pair : config.pairs)
    if (pair.first == "Na" && pair.second == "Cl") pair.born_mayer.a = 0.1;
  EXPECT_THAT(error_of(config, salt()), testing::HasSubstr("they attract each other at every distance"));
}

/// Lorentz-Berthelot takes the arithmetic mean of σ, the geometric rule the geometric mean. ε is geometric in both.
TEST(System, UnlikeSpeciesMixByTheRule) {
  RunConfig config = salt_run();
  for (const bool geometric : {false, true}) {
    config.lennard_jones->mixing = geometric ? Mixing::geometric : Mixing::lorentz_berthelot;
    const System system = build_system(config, salt());
    ASSERT_EQ(system.model.n_species, 3U);
    EXPECT_DOUBLE_EQ(pair_of(system, 0, 1).epsilon, std::sqrt(0.04 * 0.1));
    EXPECT_DOUBLE_EQ(pair_of(system, 0, 1).sigma, geometric ? std::sqrt(2.6 * 4.4) : (2.6 + 4.4) / 2);
    EXPECT_DOUBLE_EQ(pair_of(system, 1, 2).epsilon, std::sqrt(0.1 * 0.25));
    EXPECT_DOUBLE_EQ(pair_of(system, 1, 2).sigma, geometric ? std::sqrt(4.4 * 3.4) : (4.4 + 3.4) / 2);
    EXPECT_DOUBLE_EQ(pair_of(system, 2, 2).epsilon, 0.25);
    EXPECT_DOUBLE_EQ(pair_of(system, 2, 2).sigma, 3.4);
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < a; ++b) {
        EXPECT_EQ(pair_of(system, a, b).epsilon, pair_of(system, b, a).epsilon);
        EXPECT_EQ(pair_of(system, a, b).sigma, pair_of(system, b, a).sigma);
      }
  }
}

TEST(System, APairEntryReplacesMixingForItsTwoSpeciesAlone) {
  RunConfig config = salt_run();
  config.pairs = {{.first = "Cl", .second = "Na", .epsilon = 0.7, .sigma = 2.9},
                  {.first = "Ar", .second = "Ar", .epsilon = 0.3, .sigma = 3.3}};
  const System system = build_system(config, salt());
  for (const auto& [a, b] : {std::pair{0U, 1U}, std::pair{1U, 0U}}) {
    EXPECT_EQ(pair_of(system, a, b).epsilon, 0.7);
    EXPECT_EQ(pair_of(system, a, b).sigma, 2.9);
  }
  EXPECT_EQ(pair_of(system, 2, 2).epsilon, 0.3);
  EXPECT_EQ(pair_of(system, 2, 2).sigma, 3.3);
  EXPECT_DOUBLE_EQ(pair_of(system, 0, 0).epsilon, 0.04);
  EXPECT_DOUBLE_EQ(pair_of(system, 1, 1).epsilon, 0.1);
  EXPECT_DOUBLE_EQ(pair_of(system, 0, 2).sigma, (2.6 + 3.4) / 2);
}

/// n species S0, S1, ... of one atom each, with σ = 1 + k % n_sigmas.
Structure many_species(std::size_t n) {
  Structure structure;
  for (std::size_t k = 0; k < n; ++k) {
    structure.position.push_back({3.0 * static_cast<double>(k), 0, 0});
    structure.species.push_back(static_cast<std::uint32_t>(k));
    structure.species_names.push_back("S" + std::to_string(k));
  }
  return structure;
}

RunConfig run_of_species(std::size_t n, std::size_t n_sigmas) {
  RunConfig config = salt_run();
  config.species.clear();
  for (std::size_t k = 0; k < n; ++k)
    config.species.push_back({.name = "S" + std::to_string(k),
                              .mass = 1.0 + static_cast<double>(k),
                              .charge = 0.0,
                              .epsilon = 0.1,
                              .sigma = 1.0 + static_cast<double>(k % n_sigmas)});
  return config;
}

TEST(System, SpeciesThatInteractAlikeShareARowOfTheTable) {
  const System system = build_system(run_of_species(3000, 3), many_species(3000));
  EXPECT_EQ(system.model.n_species, 3U);
  EXPECT_EQ(system.model.lj_parameters.size(), 9U);
  for (const std::size_t k : {0U, 1U, 5U, 2999U}) {
    const std::size_t row = system.particles.pair_species[k];
    EXPECT_EQ(pair_of(system, row, row).sigma, 1.0 + static_cast<double>(k % 3)) << k;
  }
  EXPECT_EQ(system.particles.mass[2999], 3000) << "masses are their own";
  EXPECT_EQ(build_system(run_of_species(50, 1), many_species(50)).model.n_species, 1U);
}

TEST(System, ASpeciesOfAPairEntrySharesNoRow) {
  RunConfig config = run_of_species(6, 1);
  config.pairs = {{.first = "S4", .second = "S1", .epsilon = 0.7, .sigma = 2.9}};
  const System system = build_system(config, many_species(6));
  ASSERT_EQ(system.model.n_species, 3U);
  const auto between = [&](std::size_t a, std::size_t b) {
    return pair_of(system, system.particles.pair_species[a], system.particles.pair_species[b]).epsilon;
  };
  EXPECT_EQ(between(1, 4), 0.7);
  EXPECT_EQ(between(4, 1), 0.7);
  for (const auto& [a, b] : {std::pair{1U, 1U}, std::pair{4U, 4U}, std::pair{0U, 1U}, std::pair{4U, 5U}})
    EXPECT_DOUBLE_EQ(between(a, b), 0.1) << a << ' ' << b;
}

TEST(System, OnlySpeciesOfTheStructureCount) {
  EXPECT_EQ(build_system(run_of_species(5000, 5000), many_species(2)).model.n_species, 2U);
}

TEST(System, MoreSpeciesThanATableHoldsAreRefused) {
  EXPECT_EQ(build_system(run_of_species(1024, 1024), many_species(1024)).model.n_species, 1024U);
  EXPECT_EQ(error_of(run_of_species(8000, 8000), many_species(8000)),
            "salt.toml: the structure has 8000 species with different Lennard-Jones parameters (at most 1024; species "
            "with the same epsilon and sigma that no [[pair]] names count as one)");
}

TEST(System, AtomsAreOfTheSpeciesThatTheStructureSays) {
  const System system = build_system(salt_run(), salt());
  EXPECT_EQ(system.particles.pair_species, (std::vector<std::uint32_t>{0, 1, 2, 0}));
  EXPECT_EQ(system.particles.mass, (std::vector<double>{22.99, 35.45, 39.95, 22.99}));
  EXPECT_EQ(system.particles.charge, (std::vector<double>{1, -1, 0, 1})) << "argon has none";
}

/// The structure's masses and charges come first, then the species', then the run's.
TEST(System, WhatTheStructureGivesComesFirst) {
  Structure structure = salt();
  structure.mass = {1, 2, 3, 4};
  structure.charge = {0.1, 0.2, 0.3, 0.4};
  RunConfig config = salt_run();
  config.mass = 9.0;
  const System given = build_system(config, structure);
  EXPECT_EQ(given.particles.mass, structure.mass);
  EXPECT_EQ(given.particles.charge, structure.charge);
  config.species[2].mass.reset();
  EXPECT_EQ(build_system(config, salt()).particles.mass, (std::vector<double>{9, 35.45, 39.95, 9}));
  config.mass.reset();
  EXPECT_THAT(error_of(config, salt()), HasSubstr("salt.toml: no mass for 'Na': the structure gives none"));
  config.units = UnitSystem::lj;
  EXPECT_EQ(build_system(config, salt()).particles.mass, (std::vector<double>{1, 35.45, 39.95, 1}));
}

TEST(System, WithoutSpeciesEntriesAllAtomsAreAlike) {
  RunConfig config = salt_run();
  config.species.clear();
  config.mass = 20.0;
  config.lennard_jones->epsilon = 0.2;
  config.lennard_jones->sigma = 3.0;
  const System system = build_system(config, salt());
  EXPECT_EQ(system.model.n_species, 1U);
  ASSERT_EQ(system.model.lj_parameters.size(), 1U);
  EXPECT_EQ(system.model.lj_parameters[0].epsilon, 0.2);
  EXPECT_EQ(system.model.lj_parameters[0].sigma, 3.0);
  EXPECT_EQ(system.particles.pair_species, (std::vector<std::uint32_t>(4, 0)));
  EXPECT_EQ(system.particles.species_names, salt().species_names) << "files keep their names";
}

/// The salt as if read from a file whose atoms begin on line 3.
Structure salt_of_a_file() {
  Structure structure = salt();
  structure.file = "salt.xyz";
  structure.first_atom_line = 3;
  return structure;
}

TEST(System, ASpeciesWithoutEntryIsNamedWithItsLine) {
  RunConfig config = salt_run();
  config.species.erase(config.species.begin());
  EXPECT_EQ(error_of(config, salt_of_a_file()),
            "salt.xyz:5:1: the species 'Ar' has no [[species]] entry in salt.toml (there are entries for Cl, Na)");
}

TEST(System, AMissingMassIsNamedWithItsLine) {
  RunConfig config = salt_run();
  config.species[1].mass.reset();
  config.species[1].place = {"salt.toml", 9, 1};
  EXPECT_EQ(error_of(config, salt()),
            "salt.toml:9:1: no mass for 'Cl': the structure gives none (add 'mass = ...' here, or to [system])");
  config.species.clear();
  config.lennard_jones.reset();
  config.system_place = {"salt.toml", 2, 1};
  EXPECT_EQ(error_of(config, salt()),
            "salt.toml:2:1: no mass: the structure gives none (add 'mass = ...' to [system], or to each [[species]])");
  config.structure = "salt.gro";
  EXPECT_EQ(
      error_of(config, salt()),
      "salt.toml:2:1: no mass: the structure gives none (add 'mass = ...' to [system], or to each [[species]]; or, "
      "for molecules, topology = \"FILE\" in [system])");
}

TEST(System, OtherUnitsOfTheStructureAreAnErrorWithItsPlace) {
  Structure structure = salt_of_a_file();
  structure.units = UnitSystem::lj;
  structure.units_place = {"salt.xyz", 2, 33};
  EXPECT_EQ(
      error_of(salt_run(), structure),
      "salt.xyz:2:33: the structure is in units lj, but salt.toml says real (set units = \"lj\" there, or convert the "
      "structure)");
  structure.units = UnitSystem::real;
  EXPECT_EQ(error_of(salt_run(), structure), "no error");
}

/// p in sqrt(u eV), v in Å/fs: v = p/m over ASE's unit of time, 10.1805 fs. In units lj p = m v.
TEST(System, MomentaBecomeVelocities) {
  Structure structure = salt_of_a_file();
  structure.mass = {10, 20, 30, 40};
  structure.momentum = {{10, 0, 0}, {0, 20, 0}, {0, 0, 30}, {40, 40, 40}};
  const double v = 1 / 10.180505671156725;
  const std::vector<Vec3<double>> real = build_system(salt_run(), structure).particles.velocity;
  EXPECT_DOUBLE_EQ(real[1].y, v);
  EXPECT_DOUBLE_EQ(real[3].z, v);
  RunConfig config = salt_run();
  config.units = UnitSystem::lj;
  EXPECT_EQ(build_system(config, structure).particles.velocity[3], (Vec3<double>{1, 1, 1}));
  structure.velocity = real;
  EXPECT_EQ(error_of(salt_run(), structure), "no error");
  structure.velocity[2].z *= 1.01;
  EXPECT_EQ(error_of(salt_run(), structure),
            "salt.xyz:5:1: velocity and momentum of atom 3 contradict each other (keep one of the columns; momenta are "
            "in ASE's units if units are real)");
}

TEST(System, AWarningSaysWhichOfTwoValuesCounts) {
  Structure structure = salt_of_a_file();
  RunConfig config = salt_run();
  EXPECT_TRUE(build_system(config, structure).warnings.empty());
  structure.mass = {22.99, 35.45, 39.95, 22.99};
  structure.charge = {1, -1, 0, 1};
  EXPECT_TRUE(build_system(config, structure).warnings.empty()) << "both say the same";
  structure.mass[3] = 23;
  structure.charge[1] = -0.8;
  structure.velocity.assign(4, {});
  config.temperature = 300.0;
  structure.warnings = {"of the reader"};
  EXPECT_EQ(
      build_system(config, structure).warnings,
      (std::vector<std::string>{
          "of the reader", "the masses are those of the structure, salt.xyz: 'mass' in salt.toml is not used",
          "the charges are those of the structure, salt.xyz: 'charge' in salt.toml is not used",
          "the initial velocities are those of the structure, salt.xyz: 'temperature' of [system] in salt.toml is "
          "not used"}));
}

/// --dry-run prints these as comments, so that its output is still a run file.
TEST(System, SaysWhereItsValuesComeFrom) {
  Structure structure = salt_of_a_file();
  structure.charge = {1, -1, 0, 1};
  structure.radius = 12.5;
  RunConfig config = salt_run();
  config.temperature = 300.0;
  config.fields["wall"] = FormChoice{"harmonic", {{"stiffness", 2.0}}};
  EXPECT_EQ(values_in_effect(config, structure, build_system(config, structure)),
            "# in effect\n"
            "# units:      real, from the run file\n"
            "# masses:     22.99 to 39.95 g/mol, from [[species]]\n"
            "# charges:    -1 to 1 e, sum 1, from the structure\n"
            "# velocities: drawn at 300 K, from [system]\n"
            "# wall:       radius 12.5 A, from the structure\n");
  structure.mass = {20, 20, 20, 20};
  structure.velocity.assign(4, {});
  config.fields.erase("wall");
  const std::string text = values_in_effect(config, structure, build_system(config, structure));
  EXPECT_THAT(text, HasSubstr("# masses:     20 g/mol, from the structure\n"));
  EXPECT_THAT(text, HasSubstr("# velocities: temperature 0 K, from the structure's velocities\n"));
}

TEST(System, AWallTakesItsRadiusFromTheStructure) {
  Structure structure = salt();
  RunConfig config = salt_run();
  config.fields["wall"] = FormChoice{"harmonic", {{"stiffness", 2.0}}};
  config.field_places["wall"] = {"salt.toml", 7, 1};
  EXPECT_EQ(error_of(config, structure),
            "salt.toml:7:1: [wall] needs a radius: the structure gives none (add 'radius = ...' to [wall], or form = "
            "\"none\")");
  structure.radius = 12.5;
  EXPECT_EQ(build_system(config, structure).fields.at("wall").at("radius"), 12.5);
  config.fields.at("wall").values["radius"] = 8.0;
  EXPECT_EQ(build_system(config, structure).fields.at("wall").at("radius"), 8.0) << "the run file's, if it gives one";
  EXPECT_EQ(build_system(config, structure).radius, 12.5);
}

TEST(System, TheTitleIsTheRunFilesOrElseTheStructures) {
  RunConfig config = salt_run();
  EXPECT_EQ(build_system(config, salt()).title, "salt");
  config.title = "a run";
  EXPECT_EQ(build_system(config, salt()).title, "a run");
}

TEST(System, VelocitiesAreGivenOrDrawnOrZero) {
  RunConfig config = salt_run();
  const System cold = build_system(config, salt());
  EXPECT_EQ(cold.particles.velocity, (std::vector<Vec3<double>>(4)));
  EXPECT_FALSE(cold.momentum_removed_at_start);
  config.temperature = 300.0;
  const System warm = build_system(config, salt());
  EXPECT_GT(norm(warm.particles.velocity[0]), 0);
  EXPECT_TRUE(warm.momentum_removed_at_start);
  Structure structure = salt();
  structure.velocity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  const System given = build_system(config, structure);
  EXPECT_EQ(given.particles.velocity, structure.velocity) << "whatever the temperature";
  EXPECT_FALSE(given.momentum_removed_at_start);
}

}  // namespace
}  // namespace dropmd

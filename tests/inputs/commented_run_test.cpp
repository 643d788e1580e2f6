#include "inputs/run_file/commented_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>

#include "inputs/run_file/r_min.h"
#include "inputs/run_file/resolved_run.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/run_file.h"
#include "inputs/run_file/uff_parameters.h"
#include "inputs/structures/structure.h"
#include "tests/support/form_catalog.h"

/// The run file that `dropmd generate run` writes for a structure.
namespace dropmd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Structure structure_of(std::size_t n, const std::vector<std::string>& names) {
  Structure structure;
  structure.title = "a \"title\"";
  structure.species_names = names;
  for (std::size_t i = 0; i < n; ++i) {
    structure.position.push_back({4.0 * static_cast<double>(i), 0, 0});
    structure.species.push_back(static_cast<std::uint32_t>(i % names.size()));
  }
  return structure;
}

RunConfig parsed(const std::string& toml) {
  FormCatalog catalog = test_form_catalog();
  catalog.written_structures.emplace_back(".gro");
  return parse_run_file({"run.toml", toml}, "folder/run.toml", catalog);
}

/// Removes the comment sign from keys with defaults: from all of them, or only in the sections that are present. It
/// leaves a mass and a charge commented out, since these count as given even where they have the default.
std::string uncommented(const std::string& toml, bool all) {
  static const std::regex key("# [a-z-]+ = .*"), section("# \\[[a-z]+\\].*"), given("# (mass|charge) = .*");
  std::istringstream in(toml);
  std::string text;
  bool inside = true;
  for (std::string line; std::getline(in, line);) {
    if (std::regex_match(line, section)) inside = all;
    if (line.starts_with("[")) inside = true;
    const bool take = inside && (std::regex_match(line, section) ||
                                 (std::regex_match(line, key) && (all || !std::regex_match(line, given))));
    text += (take ? line.substr(2) : line) + '\n';
  }
  return text;
}

TEST(CommentedRun, RunsAsItIsWhereTheSpeciesAreElements) {
  Structure structure = structure_of(4, {"Na", "CL-"});
  structure.charge = {1, -1, 1, -1};
  const CommentedRun run = commented_run(structure, UnitSystem::real, "../a b.xyz");
  EXPECT_THAT(run.to_fill_in, IsEmpty());
  const RunConfig config = parsed(run.toml);
  EXPECT_EQ(config.structure, "folder/../a b.xyz");
  EXPECT_EQ(config.title, "a \"title\"");
  EXPECT_EQ(config.units, UnitSystem::real);
  ASSERT_EQ(config.species.size(), 2U);
  EXPECT_EQ(config.species[1].name, "CL-");
  EXPECT_NEAR(config.species[1].mass.value(), 35.45, 0.01);
  EXPECT_EQ(config.species[1].epsilon, 0.227);
  EXPECT_EQ(config.lennard_jones->mixing, Mixing::geometric);
  EXPECT_EQ(config.coulomb->form, "exact");
  EXPECT_THAT(config.warnings, IsEmpty());
}

TEST(CommentedRun, LeavesToTheStructureWhatItSays) {
  Structure structure = structure_of(2, {"Ar"});
  const std::string alone = commented_run(structure, UnitSystem::real, "a.xyz").toml;
  EXPECT_TRUE(parsed(alone).temperature);
  EXPECT_FALSE(parsed(alone).coulomb) << "nothing has a charge";
  structure.mass = {40, 40};
  structure.momentum = {{0, 0, 0}, {1, 1, 1}};
  structure.charge = {0.5, -0.5};
  structure.radius = 9;
  const std::string full = commented_run(structure, UnitSystem::real, "a.xyz").toml;
  const RunConfig config = parsed(full);
  EXPECT_FALSE(config.temperature);
  EXPECT_FALSE(config.species[0].mass);
  EXPECT_FALSE(config.species[0].charge);
  EXPECT_TRUE(config.coulomb);
  EXPECT_EQ(parsed(uncommented(full, true)).fields.at("wall").at("radius"), 9);
}

TEST(CommentedRun, SaysWhatNobodyElseKnows) {
  const CommentedRun run = commented_run(structure_of(3, {"Ar", "W1"}), UnitSystem::real, "a.xyz");
  EXPECT_THAT(run.to_fill_in, IsEmpty()) << "tungsten";
  const CommentedRun other = commented_run(structure_of(3, {"Ar", "OW"}), UnitSystem::real, "a.xyz");
  EXPECT_THAT(other.to_fill_in, ElementsAre("mass of OW", "epsilon of OW", "r-min of OW"));
  EXPECT_THROW(parsed(other.toml), InputError);
  EXPECT_THAT(commented_run(structure_of(3, {"Z1", "Z2"}), UnitSystem::lj, "a.xyz").to_fill_in, IsEmpty());
}

/// Droplet files hold such atoms, with the spacing of the program of 2009.
TEST(CommentedRun, ModelAtomsGetTheParametersOf2009) {
  for (const UnitSystem units : {UnitSystem::real, UnitSystem::lj}) {
    const CommentedRun run = commented_run(structure_of(3, {"X"}), units, "a.drop");
    EXPECT_THAT(run.to_fill_in, IsEmpty());
    const SpeciesConfig species = parsed(run.toml).species.at(0);
    EXPECT_EQ(species.epsilon, 0.2);
    EXPECT_EQ(species.sigma, sigma_of_r_min(2.5));
    EXPECT_EQ(species.mass.has_value(), units == UnitSystem::real);
  }
}

/// What a comment shows is valid TOML, and is the value that holds without it.
TEST(CommentedRun, CommentsShowTheDefaults) {
  for (const UnitSystem units : {UnitSystem::real, UnitSystem::lj})
    for (const std::size_t n : {3U, 2'000U, 30'000U})
      for (const bool charged : {false, true}) {
        Structure structure = structure_of(n, {"Ar", "Kr"});
        if (charged) structure.charge.assign(n, 1);
        const std::string toml = commented_run(structure, units, "a.xyz").toml;
        EXPECT_EQ(resolved_run_toml(parsed(toml), {}), resolved_run_toml(parsed(uncommented(toml, false)), {})) << toml;
        EXPECT_TRUE(parsed(uncommented(toml, true)).map) << toml;
        EXPECT_EQ(parsed(toml).lennard_jones->treatment.has("cutoff"), n > 1'000);
        const std::string form = !charged ? "none" : n > 20'000 ? "reaction-field" : "exact";
        EXPECT_EQ(parsed(toml).coulomb.value_or(FormChoice{"none"}).form, form);
      }
}

/// The topology has the parameters; what the run file leaves out or shows as a comment holds beside one.
TEST(CommentedRun, OfMolecules) {
  TopologySettings topology;
  topology.file = "../a.top";
  for (const std::size_t n : {3U, 2'000U, 30'000U})
    for (const bool flexible : {false, true}) {
      Structure structure = structure_of(n, {"OW", "HW1", "HW2"});
      structure.charge.assign(n, 0.1);
      structure.mass.assign(n, 6);
      const CommentedRun run =
          commented_run(structure, UnitSystem::real, "a.gro", CommentedMolecules{topology, flexible});
      EXPECT_THAT(run.to_fill_in, IsEmpty());
      const RunConfig config = parsed(run.toml);
      EXPECT_EQ(config.topology.file, "folder/../a.top");
      EXPECT_EQ(config.topology.bonds, flexible ? BondConstraints::hydrogens : BondConstraints::none);
      EXPECT_TRUE(config.species.empty() && config.warnings.empty());
      EXPECT_EQ(config.lennard_jones->treatment.form, n > 5'000 ? "force-shift" : "none");
      EXPECT_EQ(config.coulomb->form, "exact");
      EXPECT_EQ(config.coulomb_settings.accuracy.has_value(), n > 5'000);
      EXPECT_EQ(config.coulomb_settings.method, CoulombMethod::automatic);
      EXPECT_EQ(config.integrator.form, "langevin");
      EXPECT_EQ(config.integrator.at("timestep"), 2);
      EXPECT_EQ(config.temperature, 300);
      EXPECT_EQ(resolved_run_toml(config, {}), resolved_run_toml(parsed(uncommented(run.toml, false)), {})) << run.toml;
    }
}

TEST(CommentedRun, HasTheFoldersAndWordsOfTheTopology) {
  TopologySettings topology;
  topology.file = "a.top";
  const std::string without =
      commented_run(structure_of(3, {"OW"}), UnitSystem::real, "a.gro", CommentedMolecules{topology, false}).toml;
  EXPECT_THAT(without, HasSubstr("\n# include = [] "));
  EXPECT_THAT(without, HasSubstr("\n# define = [] "));
  topology.include = {"../fields", "more"};
  topology.define = {"FLEXIBLE", "NAME=\"x\""};
  const RunConfig config = parsed(
      commented_run(structure_of(3, {"OW"}), UnitSystem::real, "a.gro", CommentedMolecules{topology, false}).toml);
  EXPECT_THAT(config.topology.include, ElementsAre("folder/../fields", "folder/more"));
  EXPECT_THAT(config.topology.define, ElementsAre("FLEXIBLE", "NAME=\"x\""));
}

/// Rappé et al. 1992, Table I; masses in g/mol.
TEST(UffParameters, OfElementsInAnyWriting) {
  for (const char* const name : {"Na", "NA", "na", "Na+", "Na1", "NA2+"}) {
    ASSERT_TRUE(uff_parameters(name)) << name;
    EXPECT_EQ(uff_parameters(name)->r_min, 2.983) << name;
    EXPECT_EQ(uff_parameters(name)->epsilon, 0.030) << name;
    EXPECT_NEAR(uff_parameters(name)->mass, 22.99, 0.001) << name;
  }
  EXPECT_EQ(uff_parameters("H")->r_min, 2.886);
  EXPECT_EQ(uff_parameters("Xe")->epsilon, 0.332);
  EXPECT_EQ(uff_parameters("Lr")->r_min, 3.236) << "the last";
  for (const char* const name : {"", "X", "OW", "ION", "D", "1", "+", "Rf", "H O"})
    EXPECT_FALSE(uff_parameters(name)) << name;
}

}  // namespace
}  // namespace dropmd

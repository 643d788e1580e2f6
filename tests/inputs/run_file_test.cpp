#include "inputs/run_file/run_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "inputs/run_file/run_config.h"
#include "tests/support/form_catalog.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

constexpr std::string_view kShortest = "units = \"real\"\nsystem.structure = \"a.drop\"\n";

RunConfig read_text(std::string_view text) {
  const TempFolder folder;
  return read_run_file(folder.write("run.toml", std::string(kShortest) + std::string(text)), test_form_catalog());
}

TEST(RunFile, DefaultsOfTheShortestFile) {
  const TempFolder folder;
  const std::filesystem::path path = folder.write("run.toml", kShortest);
  const RunConfig config = read_run_file(path, test_form_catalog());
  EXPECT_EQ(config.file, path);
  EXPECT_EQ(config.title, "");
  EXPECT_EQ(config.units, UnitSystem::real);
  EXPECT_EQ(config.structure, folder.path() / "a.drop");
  EXPECT_FALSE(config.mass);
  EXPECT_FALSE(config.temperature);
  EXPECT_EQ(config.random_seed, 1U);
  EXPECT_FALSE(config.lennard_jones);
  EXPECT_FALSE(config.coulomb);
  EXPECT_FALSE(config.fields.contains("wall"));
  EXPECT_EQ(config.neighbor, NeighborMethod::automatic);
  EXPECT_FALSE(config.skin);
  EXPECT_EQ(config.backend, Backend::automatic);
  EXPECT_EQ(config.precision, Precision::mixed);
  EXPECT_EQ(config.device, 0);
  EXPECT_EQ(config.threads, 0);
  EXPECT_EQ(config.integrator.form, "velocity-verlet");
  EXPECT_EQ(config.integrator.at("timestep"), 1.0);
  EXPECT_EQ(config.steps, 1000);
  EXPECT_EQ(config.recenter_every, 100);
  EXPECT_EQ(recentring(config, Invariance{}), Recenter::geometric);
  EXPECT_EQ(config.remove_momentum, RemoveMomentum::none);
  EXPECT_EQ(config.output_directory, "out");
  EXPECT_EQ(config.energy_every, 100);
  EXPECT_EQ(config.trajectory_file, "trajectory.xyz");
  EXPECT_EQ(config.trajectory_every, 1000);
  EXPECT_EQ(config.checkpoint_every, 10000);
  EXPECT_EQ(config.final_file, "final.xyz");
  ASSERT_EQ(config.warnings.size(), 1U);
  EXPECT_THAT(config.warnings[0], testing::HasSubstr("neither [lennard-jones] nor [coulomb]"));
}

TEST(RunFile, AnEmptyNameMeansNoFinalStructure) { EXPECT_EQ(read_text("[output]\nfinal = \"\"\n").final_file, ""); }

TEST(RunFile, EverySectionAndKey) {
  const RunConfig config = read_text(R"(
title = "charged droplet"
system.mass = 20
system.temperature = 100.0
system.random-seed = 9223372036854775807
[lennard-jones]
epsilon = 0.2
r-min = 2.5
cutoff = 12
at-cutoff = "switch"
switch-from = 10.0
mixing = "geometric"
[coulomb]
form = "reaction-field"
cutoff = 12.0
dielectric = inf
[wall]
form = "quartic"
radius = 40
stiffness = 2.5
[neighbor]
method = "cells"
skin = 0
[engine]
backend = "cuda"
precision = "double"
device = 1
threads = 2
[integrator]
form = "fire"
timestep = 0.5
force-tolerance = 1e-3
[run]
steps = 0
recenter-every = 7
recenter = "mass"
remove-momentum = "both"
[output]
directory = "there/it is"
energy-every = 1
trajectory = "frames.test"
trajectory-every = 0
final = "final.drop"
)");
  EXPECT_EQ(config.title, "charged droplet");
  EXPECT_EQ(config.mass, 20);
  EXPECT_EQ(config.temperature, 100);
  EXPECT_EQ(config.random_seed, 9223372036854775807U);
  ASSERT_TRUE(config.lennard_jones);
  EXPECT_EQ(config.lennard_jones->epsilon, 0.2);
  // 2 ulp: one rounding each of the sixth root and of the quotient
  EXPECT_NEAR(config.lennard_jones->sigma.value(), 2.5 / std::exp2(1.0 / 6.0), 2 * 4.5e-16);
  EXPECT_EQ(config.lennard_jones->treatment.form, "switch");
  EXPECT_EQ(config.lennard_jones->treatment.at("cutoff"), 12);
  EXPECT_EQ(config.lennard_jones->treatment.at("switch-from"), 10);
  EXPECT_EQ(config.lennard_jones->mixing, Mixing::geometric);
  ASSERT_TRUE(config.coulomb);
  EXPECT_EQ(config.coulomb->form, "reaction-field");
  EXPECT_EQ(config.coulomb->at("dielectric"), std::numeric_limits<double>::infinity());
  ASSERT_TRUE(config.fields.contains("wall"));
  EXPECT_EQ(config.fields.at("wall").form, "quartic");
  EXPECT_EQ(config.fields.at("wall").at("radius"), 40);
  EXPECT_EQ(config.fields.at("wall").at("stiffness"), 2.5);
  EXPECT_EQ(config.neighbor, NeighborMethod::cells);
  EXPECT_EQ(config.skin, 0);
  EXPECT_EQ(config.backend, Backend::cuda);
  EXPECT_EQ(config.precision, Precision::fp64);
  EXPECT_EQ(config.device, 1);
  EXPECT_EQ(config.threads, 2);
  EXPECT_EQ(config.integrator.form, "fire");
  EXPECT_EQ(config.integrator.at("timestep"), 0.5);
  EXPECT_EQ(config.integrator.at("force-tolerance"), 1e-3);
  EXPECT_EQ(config.steps, 0);
  EXPECT_EQ(config.recenter_every, 7);
  EXPECT_EQ(config.recenter, Recenter::mass);
  EXPECT_EQ(config.remove_momentum, RemoveMomentum::both);
  EXPECT_EQ(config.output_directory, "there/it is");
  EXPECT_EQ(config.energy_every, 1);
  EXPECT_EQ(config.trajectory_file, "frames.test");
  EXPECT_EQ(config.trajectory_every, 0);
  EXPECT_EQ(config.final_file, "final.drop");
}

TEST(RunFile, AbsoluteStructurePathStays) {
  const TempFolder folder;
  const auto path = folder.write("run.toml", "units = \"lj\"\nsystem.structure = \"/data/a.xyz\"\n");
  EXPECT_EQ(read_run_file(path, test_form_catalog()).structure, "/data/a.xyz");
}

TEST(RunFile, DefaultsDependOnTheUnits) {
  const TempFolder folder;
  const auto path = folder.write("run.toml", "units = \"lj\"\nsystem.structure = \"a.xyz\"\n");
  EXPECT_EQ(read_run_file(path, test_form_catalog()).integrator.at("timestep"), 0.005);
}

TEST(RunFile, CutoffWithoutTreatmentIsCut) {
  EXPECT_EQ(read_text("[lennard-jones]\nepsilon = 1\nsigma = 1\ncutoff = 2.5\n").lennard_jones->treatment.form, "cut");
  EXPECT_EQ(read_text("[lennard-jones]\nepsilon = 1\nsigma = 1\n").lennard_jones->treatment.form, "none");
}

TEST(RunFile, FirstFormIsTheDefaultOfItsSection) {
  EXPECT_EQ(read_text("[coulomb]\n").coulomb->form, "exact");
  EXPECT_EQ(read_text("[wall]\n").fields.at("wall").form, "harmonic");
}

TEST(RunFile, AnUntruncatedCoulombTermHasAMethodAndAnAccuracy) {
  EXPECT_EQ(read_text("[coulomb]\n").coulomb_settings.method, CoulombMethod::automatic);
  EXPECT_FALSE(read_text("[coulomb]\n").coulomb_settings.accuracy);
  const CoulombSettings settings =
      read_text(
          "[coulomb]\nform = \"exact\"\nmethod = \"mesh\"\naccuracy = 1e-3\nmesh-cutoff = 9\n"
          "mesh-spacing = 1.5\nmesh-order = 6\nmesh-every = 4\n")
          .coulomb_settings;
  EXPECT_EQ(settings.method, CoulombMethod::mesh);
  EXPECT_EQ(settings.accuracy, 1e-3);
  EXPECT_EQ(settings.mesh_cutoff, 9);
  EXPECT_EQ(settings.mesh_spacing, 1.5);
  EXPECT_EQ(settings.mesh_order, 6);
  EXPECT_EQ(settings.mesh_every, 4);
  EXPECT_FALSE(read_text("[coulomb]\n").coulomb_settings.mesh_every);
}

TEST(RunFile, WallRadiusOfTheStructureStaysAbsent) {
  const RunConfig config = read_text("[wall]\nform = \"harmonic\"\n");
  EXPECT_FALSE(config.fields.at("wall").has("radius"));
  EXPECT_EQ(config.fields.at("wall").at("stiffness"), 1);
}

TEST(RunFile, NoneMeansNoTerm) {
  EXPECT_FALSE(read_text("[coulomb]\nform = \"none\"\n").coulomb);
  EXPECT_FALSE(read_text("[wall]\nform = \"none\"\n").fields.contains("wall"));
}

TEST(RunFile, SpeciesWithParametersImplyLennardJones) {
  const RunConfig config = read_text(
      "[[species]]\nname = \"Na\"\nmass = 22.99\ncharge = 1\nepsilon = 0.1\nsigma = 2\n"
      "[[species]]\nname = \"Cl\"\nepsilon = 0\nr-min = 4\n"
      "[[pair]]\nspecies = [\"Cl\", \"Na\"]\nepsilon = 0.3\nsigma = 3\n");
  ASSERT_TRUE(config.lennard_jones);
  EXPECT_EQ(config.lennard_jones->treatment.form, "none");
  EXPECT_FALSE(config.lennard_jones->epsilon);
  ASSERT_EQ(config.species.size(), 2U);
  EXPECT_EQ(config.species[0].name, "Na");
  EXPECT_EQ(config.species[0].mass, 22.99);
  EXPECT_EQ(config.species[0].charge, 1);
  EXPECT_EQ(config.species[0].place.line, 3U);
  EXPECT_EQ(config.species[1].epsilon, 0);
  EXPECT_FALSE(config.species[1].charge);
  ASSERT_EQ(config.pairs.size(), 1U);
  EXPECT_EQ(config.pairs[0].first, "Cl");
  EXPECT_EQ(config.pairs[0].second, "Na");
  EXPECT_EQ(config.pairs[0].sigma, 3);
}

TEST(RunFile, BornMayerTakesThePlaceOfLennardJones) {
  const RunConfig config = read_text(
      "[born-mayer]\ncutoff = 12\nat-cutoff = \"force-shift\"\n"
      "[[species]]\nname = \"Na\"\ncharge = 1\n"
      "[[pair]]\nspecies = [\"Na\", \"Na\"]\nA = 6\nrho = 0.3\nsigma = 2.3\nC = 24\nD = 12\n");
  EXPECT_FALSE(config.lennard_jones);
  ASSERT_TRUE(config.born_mayer);
  EXPECT_FALSE(config.born_mayer->values);
  EXPECT_EQ(config.born_mayer->treatment.form, "force-shift");
  EXPECT_EQ(config.born_mayer->treatment.at("cutoff"), 12);
  ASSERT_EQ(config.pairs.size(), 1U);
  EXPECT_EQ(config.pairs[0].born_mayer, (BornMayerValues{6, 0.3, 2.3, 24, 12}));
  const RunConfig alike = read_text("[born-mayer]\nA = 1000\nrho = 0.3\nC = 0\nD = 0\n");
  EXPECT_EQ(alike.born_mayer->values, (BornMayerValues{1000, 0.3, 0, 0, 0}));
  EXPECT_EQ(alike.born_mayer->treatment.form, "none");
  EXPECT_TRUE(alike.warnings.empty());
}

TEST(RunFile, SpeciesWithoutParametersImplyNothing) {
  const RunConfig config = read_text("[[species]]\nname = \"Na\"\nmass = 22.99\n");
  EXPECT_FALSE(config.lennard_jones);
  ASSERT_EQ(config.species.size(), 1U);
  EXPECT_EQ(config.species[0].epsilon, 0);
  EXPECT_EQ(config.species[0].sigma, 1);
}

TEST(RunFile, CheckpointsAreWrittenAsOftenAsItSays) {
  EXPECT_EQ(read_text("[coulomb]\n").checkpoint_minutes, 10);
  for (const int every : {0, 10}) {
    const std::string number = std::to_string(every);
    const RunConfig config =
        read_text("[coulomb]\n[output]\ncheckpoint-every = " + number + "\ncheckpoint-minutes = " + number + '\n');
    EXPECT_EQ(config.checkpoint_every, every);
    EXPECT_EQ(config.checkpoint_minutes, every);
    EXPECT_EQ(makes_checkpoints(config), every > 0);
    EXPECT_TRUE(config.warnings.empty());
  }
}

TEST(RunFile, ATextThatIsNoFileIsReadAsOne) {
  const TempFolder folder;
  const std::string text = "units = \"lj\"\n[system]\nstructure = \"a.drop\"\n[run]\nsteps = 12\n";
  const RunConfig config = parse_run_file({"somewhere", text}, folder.path() / "x.h5", test_form_catalog());
  EXPECT_EQ(config.steps, 12);
  EXPECT_EQ(config.file, folder.path() / "x.h5");
  EXPECT_EQ(config.structure, folder.path() / "a.drop") << "relative to where the text came from";
  try {
    parse_run_file({"somewhere", text + "stepps = 1\n"}, folder.path() / "x.h5", test_form_catalog());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("somewhere:6:1: unknown key 'stepps'"));
  }
}

/// The message names the limit: a file of that size is still read, and one byte more is refused.
TEST(RunFile, AMebibyteIsReadAndAByteMoreIsNot) {
  std::string text = "[run]\nsteps = 7\n#";
  text.resize((std::size_t{1} << 20U) - kShortest.size() - 1, 'x');
  text += '\n';
  EXPECT_EQ(read_text(text).steps, 7);
  try {
    read_text(text + '\n');
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::EndsWith("a run file of 1048577 bytes (at most 1048576 are allowed)"));
  }
}

/// Dots, brackets and commas of one key do not add to the depth of the next, however many there are.
TEST(RunFile, ManyDecimalsAndListsAreNotDeep) {
  std::string text;
  for (int i = 0; i < 150; ++i)
    text += "[[species]]\nname = \"S" + std::to_string(i) + "\"\nmass = 1.5\nepsilon = 0.25\nsigma = 3.5\n";
  for (int i = 0; i < 150; ++i)
    text += "[[pair]]\nspecies = [\"S0\", \"S" + std::to_string(i) + "\"]\nepsilon = 0.5\nsigma = 2.5\n";
  EXPECT_EQ(read_text(text).pairs.size(), 150U);

  std::string lists = "many = [0.5";
  for (int i = 0; i < 150; ++i) lists += ", 0.5";
  lists += "]\n";
  for (int i = 0; i < 150; ++i) lists += "dotted.key" + std::to_string(i) + " = [0.5]\n";
  try {
    read_text(lists);
    FAIL() << "keys that nobody knows";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("nested")));
    EXPECT_THAT(error.what(), testing::HasSubstr("unknown key 'many'"));
  }
}

TEST(RunFile, DeepNestingIsRefused) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "a.";
  EXPECT_THROW(read_text(text + "a = 1\n"), InputError);
}

RC_GTEST_PROP(RunFileProperty, AnyBytesAreReadOrRefused, ()) {
  const auto head = *rc::gen::element<std::string>("", "[wall]\n", "[[species]]\nname = ", "[coulomb]\ncutoff = ");
  const auto tail = *rc::gen::oneOf(
      rc::gen::container<std::string>(rc::gen::arbitrary<char>()),
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789.=\"'\\[]{}# \t\r\n_-+infaeu"))));
  try {
    read_text(head + tail);
  } catch (const InputError& error) {
    RC_ASSERT(!std::string(error.what()).empty());
  }
}

}  // namespace
}  // namespace dropmd

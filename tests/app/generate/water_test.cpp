#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "inputs/structures/structure_file.h"
#include "inputs/topologies/gromacs/gromacs_topology.h"
#include "tests/support/system/app_folder.h"

/// `dropmd generate water`: its two files and its messages.
namespace dropmd {
namespace {

using testing::HasSubstr;

Outcome generated_water(const AppFolder& folder, const std::string& options) {
  Outcome outcome = folder.run("dropmd generate water --force -o x.gro " + options);
  EXPECT_EQ(outcome.status, 0) << options << '\n' << outcome.err;
  return outcome;
}

/// The topology has the atoms of the structure, and the structure the geometry of the topology.
TEST(GenerateWaterFiles, BelongTogether) {
  const AppFolder folder;
  for (const std::string model : {"spce", "tip3p", "tip4p2005"}) {
    generated_water(folder, "--waters 50 --ions Na:3,Br:1 --model " + model);
    const Structure structure = read_structure_file(folder.path() / "x.gro");
    const MolecularModel topology = read_gromacs_topology(folder.path() / "x.top", {});
    EXPECT_TRUE(structure.warnings.empty() && topology.warnings.empty());
    EXPECT_EQ(structure.atom_name, topology.atom_name);
    EXPECT_EQ(structure.residue_name, topology.residue_name);
    EXPECT_EQ(structure.title, topology.title);
    ASSERT_EQ(topology.topology.constraints.size(), 150U);
    for (const Constraint& bond : topology.topology.constraints)
      EXPECT_NEAR(norm(structure.position[bond.atom[0]] - structure.position[bond.atom[1]]), bond.length, 1e-7);
    for (const VirtualSite& site : topology.topology.virtual_sites) {
      const auto x = [&](std::size_t k) { return structure.position[site.parent.at(k)]; };
      const Vec3<double> expected = x(0) + site.parameter[0] * (x(1) - x(0)) + site.parameter[1] * (x(2) - x(0));
      EXPECT_LE(norm(structure.position[site.site] - expected), 1e-7);
    }
  }
}

TEST(GenerateWaterFiles, AreAFunctionOfTheSeed) {
  const AppFolder folder;
  const auto bytes = [&](const std::string& seed) {
    generated_water(folder, "--waters 80 --model spce --random-seed " + seed);
    return folder.text("x.gro") + folder.text("x.top");
  };
  const std::string first = bytes("5");
  EXPECT_TRUE(first == bytes("5"));
  EXPECT_FALSE(first == bytes("6"));
}

TEST(GenerateWaterFiles, SayWhatTheyAreAndWhatIsNext) {
  const AppFolder folder;
  const Outcome outcome = generated_water(folder, "--waters 500 --model tip4p2005 --ions Na:5,Cl:1");
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("wrote x.gro and x.top: 500 waters (TIP4P/2005), 5 Na, 1 Cl; 2006 atoms\n"));
  EXPECT_THAT(outcome.out, HasSubstr("1.00 of the liquid's density; net charge +4 e, 0."));
  EXPECT_THAT(outcome.out, HasSubstr("\n  next: dropmd generate run x.gro -o x.toml\n"));
  EXPECT_EQ(generated_water(folder, "--waters 5 --model spce -q").out, "");
  EXPECT_THAT(generated_water(folder, "--waters 1 --model spce").out, HasSubstr("1 water (SPC/E); 3 atoms"));
}

TEST(GenerateWaterFiles, Json) {
  const AppFolder folder;
  const auto json = nlohmann::json::parse(generated_water(folder, "--radius 15 --model tip3p --ions K:2 --json").out);
  EXPECT_EQ(json["file"], "x.gro");
  EXPECT_EQ(json["topology"], "x.top");
  EXPECT_EQ(json["model"], "tip3p");
  EXPECT_EQ(json["radius"], 15);
  EXPECT_EQ(json["waters"], 469) << "4/3 pi 15^3 / 30.005 less the ions";
  EXPECT_EQ(json["ions"], (nlohmann::json{{"K", 2}}));
  EXPECT_EQ(json["n_atoms"], 469 * 3 + 2);
  EXPECT_EQ(json["net_charge"], 2);
  EXPECT_GT(json["rayleigh_limit"], 5);
}

TEST(GenerateWaterFiles, BothNumberAndRadiusAreObeyed) {
  const AppFolder folder;
  EXPECT_THAT(generated_water(folder, "--waters 400 --radius 15 --model spce").out,
              HasSubstr("radius 15.00 A, 0.85 of the liquid's density; neutral"));
  generated_water(folder, "--waters 490 --radius 15 --model spce");
}

TEST(GenerateWaterFiles, AWarningAboveRayleighsLimit) {
  const AppFolder folder;
  const Outcome outcome = generated_water(folder, "--waters 100 --model spce --ions Na:20");
  EXPECT_THAT(outcome.err, HasSubstr("the net charge of +20 e is above Rayleigh's limit of "));
  EXPECT_EQ(generated_water(folder, "--waters 100 --model spce --ions Na:20,Cl:20").err, "");
}

TEST(GenerateWaterFiles, MistakesAreNamed) {
  const AppFolder folder;
  const auto expect_refused = [&](const std::string& options, int status, const std::string& message) {
    const Outcome outcome = folder.run("dropmd generate water " + options);
    EXPECT_EQ(outcome.status, status) << options << '\n' << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("dropmd: error: " + message)) << options;
    EXPECT_FALSE(folder.has("y.gro") || folder.has("y.top"));
  };
  const std::string good = "--model spce -o y.gro ";
  expect_refused("-o y.gro", 2, "generate water needs a water model (--model spce, tip3p, tip4p2005)");
  expect_refused("-o y.gro --model spcr", 2, "--model: unknown water 'spcr' (known: spce, tip3p, tip4p2005)");
  expect_refused("-o y.gro --model tip4p", 2,
                 "--model: unknown water 'tip4p' (known: spce, tip3p, tip4p2005; did you mean 'tip4p2005'?)");
  expect_refused("-o y.gro --model tip5p", 2, "--model: unknown water 'tip5p' (known: spce, tip3p, tip4p2005)");
  expect_refused(good + "--seed 3", 2, "dropmd generate has no option '--seed' (did you mean '--random-seed'?)");
  expect_refused("--model spce", 2, "generate water needs an output file (-o FILE.gro)");
  expect_refused("--model spce -o y.xyz", 2, "-o y.xyz: the structure of a water droplet is a .gro file");
  expect_refused(good + "--waters 0", 2, "--waters 0 is too small (at least 1)");
  expect_refused(good + "--waters 1e9", 2, "a droplet of 1e+09 molecules is too large");
  expect_refused(good + "--ions Mg:2", 2, "--ions: unknown ion 'Mg' (known: Li, Na, K, Rb, Cs, F, Cl, Br, I)");
  expect_refused(good + "--ions na:2", 2, "--ions: unknown ion 'na' (did you mean 'Na'?)");
  expect_refused(good + "--ions NA:2", 2, "--ions: unknown ion 'NA' (did you mean 'Na'?)");
  expect_refused(good + "--ions Na:1,", 2, "--ions: 'Na:1,' has an empty item (separate items with single commas)");
  expect_refused(good + "--ions Na:1,,Cl:1", 2, "--ions: 'Na:1,,Cl:1' has an empty item");
  expect_refused(good + "--ions Na", 2, "--ions: 'Na' is not an ion and a number (such as Na:10,Cl:2)");
  expect_refused(good + "--ions Na:x", 2, "--ions: 'x' is not a number of Na");
  expect_refused(good + "--ions Na:0", 2, "--ions: '0' is not a number of Na");
  expect_refused(good + "--ions Na:1,Cl:1,Na:2", 2, "--ions names Na twice (give the sum)");
  expect_refused(good + "--radius 0", 2, "--radius 0 is out of range");
  expect_refused(good + "--radius 1e6", 2, "--radius 1e+06 A holds ");
  expect_refused(good + "--radius 1", 2, "--radius 1 A holds 0 molecules at the liquid's density: no water fits");
  expect_refused(
      good + "--radius 10 --waters 200", 2,
      "--radius 10 A is too small for 200 molecules: 1.43 of the liquid's density (at most 1.05; a radius of "
      "11.27 A has the liquid's density, the smallest possible is 11.10 A)");
  expect_refused(good + "--atoms 5", 2, "--atoms is for generate droplet");
  expect_refused(good + "--units lj", 2, "--units is for generate run");
  expect_refused(good + "y.top", 2, "generate water takes no further word ('y.top'");
  EXPECT_THAT(folder.run("dropmd generate droplet --waters 5 -o y.drop").err,
              HasSubstr("--waters is for generate water"));
  EXPECT_THAT(folder.run("dropmd generate run a.xyz --radius 5").err,
              HasSubstr("--radius is for generate droplet and water"));
}

TEST(GenerateWaterFiles, BlanksRoundIonsAreNone) {
  const AppFolder folder;
  const Outcome outcome = ChildProcess(folder.path(), {DROPMD_BINARY, "generate", "water", "--model", "spce",
                                                       "--waters", "50", "--ions", " Na:2, Cl:1 ", "-o", "x.gro"})
                              .wait();
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("50 waters (SPC/E), 2 Na, 1 Cl;"));
}

TEST(GenerateWaterFiles, NothingIsOverwrittenUnasked) {
  const AppFolder folder;
  folder.write("x.top", "mine");
  const Outcome outcome = folder.run("dropmd generate water --model spce --waters 3 -o x.gro");
  EXPECT_EQ(outcome.status, 6);
  EXPECT_THAT(outcome.err, HasSubstr("x.top"));
  EXPECT_FALSE(folder.has("x.gro"));
  EXPECT_EQ(folder.text("x.top"), "mine");
}

}  // namespace
}  // namespace dropmd

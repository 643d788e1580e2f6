#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "core/units.h"
#include "inputs/structures/structure_file.h"
#include "tests/support/system/app_folder.h"

/// What a structure says, what the run file says, and which of the two takes precedence.
namespace dropmd {
namespace {

using testing::HasSubstr;
using testing::Not;
using PlainJson = nlohmann::json;

/// Two ions 3 Å apart.
constexpr const char* kIons = "2\nProperties=species:S:1:pos:R:3:charge:R:1 units=real\nNa 0 0 -1.5 1\nCl 0 0 1.5 -1\n";
constexpr const char* kRealRun =
    "units = \"real\"\n[system]\nstructure = \"ions.xyz\"\nmass = 20\ntemperature = 150\n[lennard-jones]\nepsilon = "
    "0.1\nsigma = 2.5\n[coulomb]\n";

class Structures : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("ions.xyz", kIons);
    folder_.write("run.toml", kRealRun);
  }
  Outcome run(const std::string& line) const { return folder_.run("dropmd " + line); }
  void expect_refused(const std::string& line, int status, const std::string& message) const {
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome.status, status) << line << '\n' << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("dropmd: error: " + message)) << line;
  }
  const AppFolder& folder() const { return folder_; }
  std::string text(std::string_view name) const { return folder_.text(name); }

 private:
  AppFolder folder_;
};

/// A column of row 0 of an energy.csv.
double at_start(const std::string& csv, std::size_t column) {
  std::istringstream row(lines_of(csv).at(2));
  std::string word;
  for (std::size_t k = 0; k <= column; ++k) std::getline(row, word, ',');
  return std::stod(word);
}

/// There is no run file that could contradict the structure.
TEST_F(Structures, AMapOfABareOneTakesItsMassesWithoutAWord) {
  folder().write("bare.xyz", "1\nProperties=species:S:1:pos:R:3:mass:R:1:q:R:1 units=real\nNa 0 0 0 22.99 1\n");
  const Outcome outcome = run("map bare.xyz --backend cpu --spacing 2 -o bare.dx");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, Not(HasSubstr("warning")));
}

TEST_F(Structures, AGeneratedOneSaysOnlyWhatItKnows) {
  ASSERT_EQ(run("generate droplet -q --atoms 20 -o ions.xyz --force").status, 0);
  EXPECT_THAT(
      lines_of(text("ions.xyz")).at(1),
      testing::StartsWith("Properties=species:S:1:pos:R:3:Charge:R:1:initial_charges:R:1 pbc=\"F F F\" radius="));
  const Outcome outcome = run("run run.toml --steps 1 --backend cpu");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("warning")));
  EXPECT_NEAR(at_start(text("out/energy.csv"), 8), 150, 1e-9) << "the run file's temperature";
  EXPECT_THAT(text("out/energy.csv"), HasSubstr("units: real"));
  const Structure end = read_structure_file(folder().path() / "out/final.xyz");
  EXPECT_EQ(end.mass, std::vector<double>(20, 20.0)) << "the run file's mass";
  ASSERT_EQ(run("generate droplet -q --atoms 20 --charges none -o bare.xyz").status, 0);
  EXPECT_TRUE(read_structure_file(folder().path() / "bare.xyz").charge.empty());
}

TEST_F(Structures, WhereBothGiveAValueAWarningSaysWhichCounts) {
  folder().write("ions.xyz",
                 "2\nProperties=species:S:1:pos:R:3:velo:R:3:mass:R:1\nNa 0 0 -1.5 0 0 0 23\nCl 0 0 1.5 0 0 0 20\n");
  for (const char* const line : {"run run.toml --steps 1 --backend cpu", "run run.toml --dry-run --backend cpu",
                                 "energy run.toml", "compare run.toml", "map run.toml -o m.dx --spacing 2",
                                 "ions run.toml --count 1 --charge 1 --mass 1 -o i.xyz --spacing 2"}) {
    const std::string said = run(line).err;
    EXPECT_THAT(said,
                HasSubstr("dropmd: warning: the masses are those of the structure, ions.xyz: 'mass' in run.toml is "
                          "not used\n"))
        << line;
    EXPECT_THAT(said, HasSubstr("dropmd: warning: the initial velocities are those of the structure, ions.xyz: "
                                "'temperature' of [system] in run.toml is not used\n"))
        << line;
    EXPECT_EQ(said.find("the masses are"), said.rfind("the masses are")) << "once: " << line;
  }
  EXPECT_THAT(run("run --resume out/checkpoint.h5 --steps 2").err, Not(HasSubstr("those of the structure")));
  EXPECT_EQ(run("energy run.toml -q").err, "");
}

TEST_F(Structures, ADryRunShowsValuesInEffectAndStaysARunFile) {
  const Outcome outcome = run("run run.toml --dry-run --backend cpu");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* const line :
       {"# in effect\n", "# units:      real, from the run file and the structure\n",
        "# masses:     20 g/mol, from [system]\n", "# charges:    -1 to 1 e, sum 0, from the structure\n",
        "# velocities: drawn at 150 K, from [system]\n"})
    EXPECT_THAT(outcome.out, HasSubstr(line));
  folder().write("resolved.toml", outcome.out);
  EXPECT_EQ(run("energy resolved.toml").out, run("energy run.toml --backend cpu").out);
}

TEST_F(Structures, UnitsThatContradictAreAnErrorWithItsPlace) {
  folder().write("lj.toml", "units = \"lj\"\n[system]\nstructure = \"ions.xyz\"\n[coulomb]\n");
  for (const char* const line : {"run lj.toml", "run lj.toml --dry-run", "energy lj.toml", "compare lj.toml",
                                 "map lj.toml -o m.dx", "ions lj.toml --count 1 -o i.xyz"})
    expect_refused(line, 3, "ions.xyz:2:43: the structure is in units real, but lj.toml says lj");
  expect_refused("map ions.xyz --units lj -o m.dx", 3,
                 "ions.xyz:2:43: the structure is in units real, but --units says lj");
  expect_refused("generate run ions.xyz --units lj", 3, "ions.xyz:2:43: the structure is in units real");
}

/// The potential midway between an ion at 1.5 and one at -1.5 with the same charge is 2 k_e q / 1.5.
TEST_F(Structures, ABareOneIsTakenInItsOwnUnits) {
  const auto potential = [&](const std::string& line) {
    const Outcome outcome = run("map " + line + " --points 1,1,1 --origin=0,0,0 --spacing 1 --json --force -o m.dx" +
                                " --precision double --backend cpu");
    EXPECT_EQ(outcome.status, 0) << line << '\n' << outcome.err;
    return outcome.status == 0 ? PlainJson::parse(outcome.out)["potential_max"].get<double>() : 0;
  };
  const std::string atoms = "\nNa 0 0 -1.5 1\nCl 0 0 1.5 1\n", columns = "2\nProperties=species:S:1:pos:R:3:charge:R:1";
  folder().write("real.xyz", columns + " units=real" + atoms);
  folder().write("lj.xyz", columns + " units=lj" + atoms);
  folder().write("none.xyz", columns + atoms);
  folder().write("a.drop", "t\n2\n5\n0 0 -1.5 1\n0 0 1.5 1\n");
  const double real = 2 * kRealUnits.coulomb / 1.5, lj = 2 / 1.5;
  EXPECT_NEAR(potential("real.xyz"), real, 1e-12 * real);
  EXPECT_NEAR(potential("real.xyz --units real"), real, 1e-12 * real);
  EXPECT_NEAR(potential("lj.xyz"), lj, 1e-12);
  EXPECT_NEAR(potential("none.xyz --units real"), real, 1e-12 * real);
  EXPECT_NEAR(potential("none.xyz --units lj"), lj, 1e-12);
  EXPECT_NEAR(potential("a.drop"), lj, 1e-12) << "as the program of 2009";
  EXPECT_NEAR(potential("a.drop --units real"), real, 1e-12 * real);
  expect_refused("map none.xyz -o n.dx", 3,
                 "none.xyz:2: the structure does not state its units (add units=real or units=lj");
  expect_refused("map run.toml --units real -o n.dx", 2, "--units is for bare structures");
  expect_refused("map none.xyz --units metal -o n.dx", 2, "--units: unknown word 'metal' (known: real, lj)");
}

TEST_F(Structures, ABareOneDoesNotRun) {
  for (const char* const command : {"run", "energy", "compare", "bench step"})
    expect_refused(
        std::string(command) + " ions.xyz", 3,
        "ions.xyz: a structure alone does not say which forces act (dropmd generate run ions.xyz -o run.toml "
        "writes a run file for it)");
  expect_refused("run nowhere.xyz", 3, "nowhere.xyz: no such file (check the path)");
}

TEST_F(Structures, GenerateRunWritesARunFileThatRuns) {
  const Outcome outcome = run("generate run ions.xyz -o made/ions.toml");
  EXPECT_EQ(outcome.status, 6) << "there is no such folder";
  std::filesystem::create_directory(folder().path() / "made");
  const Outcome made = run("generate run ions.xyz -o made/ions.toml");
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.err, "");
  EXPECT_EQ(made.out, "wrote made/ions.toml: a run of 2 atoms\n");
  EXPECT_THAT(text("made/ions.toml"), HasSubstr("\nunits = \"real\" "));
  EXPECT_THAT(text("made/ions.toml"), HasSubstr("\nstructure = \"../ions.xyz\" "));
  const Outcome ran = run("run made/ions.toml --steps 3 --backend cpu");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, Not(HasSubstr("warning")));
  EXPECT_NEAR(at_start(text("ions-out/energy.csv"), 4), -kRealUnits.coulomb / 3, 1e-4) << "their Coulomb energy";
  expect_refused("generate run ions.xyz -o made/ions.toml", 6, "made/ions.toml exists");
  EXPECT_EQ(run("generate run ions.xyz").out, [&] {
    run("generate run ions.xyz -q -o here.toml");
    return text("here.toml");
  }()) << "without -o on standard output";
  const PlainJson json = PlainJson::parse(run("generate run ions.xyz -o made/ions.toml --force --json").out);
  EXPECT_EQ(json, (PlainJson{
                      {"file", "made/ions.toml"}, {"n_atoms", 2}, {"units", "real"}, {"fill_in", PlainJson::array()}}));
}

TEST_F(Structures, GenerateRunSaysWhatIsToBeFilledIn) {
  folder().write("water.xyz", "1\n\nOW 0 0 0\n");
  const Outcome made = run("generate run water.xyz -o water.toml");
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_THAT(made.err, HasSubstr("warning: water.xyz does not state its units: the run file says real (--units lj"));
  EXPECT_THAT(made.out, HasSubstr("  fill in: mass of OW\n  fill in: epsilon of OW\n  fill in: r-min of OW\n"));
  const std::string refused = run("energy water.toml").err;
  EXPECT_THAT(refused, HasSubstr("dropmd: error: water.toml:"));
  EXPECT_THAT(refused, HasSubstr("'epsilon'"));
  EXPECT_THAT(refused, HasSubstr("'sigma'"));
}

TEST_F(Structures, GenerateRunOfAGeneratedDropletRuns) {
  for (const char* const name : {"d.drop", "d.xyz"})
    for (const char* const units : {"real", "lj"}) {
      ASSERT_EQ(run(std::string("generate droplet -q --force --atoms 200 -o ") + name).status, 0);
      ASSERT_EQ(run(std::string("generate run -q --force -o d.toml --units ") + units + ' ' + name).status, 0);
      const Outcome outcome = run("run d.toml -q --force --steps 20 --backend cpu");
      EXPECT_EQ(outcome.status, 0) << name << units << outcome.err;
    }
}

TEST_F(Structures, GenerateRunFindsTheTopologyBesideTheStructure) {
  ASSERT_EQ(run("generate water -q --model tip4p2005 --waters 30 --ions Na:1 -o w.gro").status, 0);
  const Outcome made = run("generate run w.gro -o w.toml");
  EXPECT_EQ(made.err, "");
  EXPECT_EQ(made.out, "wrote w.toml: a run of 121 atoms with the topology w.top\n");
  EXPECT_THAT(text("w.toml"), HasSubstr("\n# bonds = \"none\" ")) << "the waters are rigid";
  const Outcome ran = run("run w.toml --steps 5 --backend cpu");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, Not(HasSubstr("warning")));
  EXPECT_TRUE(folder().has("w-out/final.gro"));
}

TEST_F(Structures, GenerateRunOfANamedTopologyConstrainsFlexibleHydrogens) {
  std::filesystem::create_directory(folder().path() / "made");
  const std::string line = "generate run inputs/samples/peptide.gro --topology inputs/samples/peptide.top ";
  const PlainJson json = PlainJson::parse(run(line + "--json -o made/p.toml").out);
  EXPECT_EQ(json["topology"], "inputs/samples/peptide.top");
  EXPECT_EQ(json["fill_in"], PlainJson::array());
  EXPECT_THAT(text("made/p.toml"), HasSubstr("\nbonds = \"hydrogens\" "));
  const Outcome ran = run("run made/p.toml --steps 2 --backend cpu");
  EXPECT_EQ(ran.status, 0) << ran.err;
}

TEST_F(Structures, GenerateRunRefusesATopologyThatDoesNotFit) {
  const std::string line = "generate run inputs/samples/peptide.gro -o p.toml ";
  expect_refused(
      line + "--topology inputs/samples/water-na.top", 3,
      "inputs/samples/peptide.gro: the structure has 2268 atoms, but the topology inputs/samples/water-na.top "
      "has 3008: 1000 SOL, 8 NA");
  expect_refused(line + "--topology p.gro", 2, "--topology p.gro: no topology format has this extension (known: ");
  expect_refused(line + "--topology nowhere.top", 3, "nowhere.top: no such file");
  expect_refused("generate droplet --topology a.top -o y.xyz", 2, "--topology is for generate run");
  EXPECT_FALSE(folder().has("p.toml"));
}

/// Droplet files have no molecules, whatever lies beside them.
TEST_F(Structures, GenerateRunOfADropletFileTakesNoTopologyUnasked) {
  folder().write("d.drop", "t\n2\n5\n0 0 -1.5 1\n0 0 1.5 1\n");
  folder().write("d.top", "");
  EXPECT_EQ(run("generate run d.drop --units lj -o d.toml").out, "wrote d.toml: a run of 2 atoms\n");
}

TEST_F(Structures, MistakesOfGenerateAreNamed) {
  expect_refused("generate", 2, "generate what? (dropmd generate droplet -o FILE, dropmd generate water --model");
  expect_refused("generate drplet", 2, "generate: unknown word 'drplet' (did you mean 'droplet'?)");
  expect_refused("generate run", 2, "generate run takes one structure");
  expect_refused("generate run a.xyz b.xyz", 2, "generate run takes one structure");
  expect_refused("generate run ions.xyz --atoms 5", 2, "--atoms is for generate droplet");
  expect_refused("generate run ions.xyz -o a.xyz", 2, "-o a.xyz: a run file's name ends in .toml");
  expect_refused("generate run ions.xyz --json", 2, "--json needs -o FILE.toml");
  folder().write("a\xE9.xyz", kIons);
  expect_refused("generate run a\xE9.xyz", 3, "a\xE9.xyz: a run file cannot hold this name, which is not UTF-8");
  expect_refused("generate droplet x.xyz -o y.xyz", 2, "generate droplet takes no further word ('x.xyz'");
  expect_refused("generate droplet --units real -o y.xyz", 2, "--units is for generate run");
}

/// Sizes and charges whose squares or sums overflow or underflow double precision.
TEST_F(Structures, GenerateRefusesWhatIsNoDroplet) {
  for (const char* const options : {"--density 1e-320", "--disorder 1e308",
                                    "--atoms 9 --vapour 0.5 --vapour-radius 1e200", "--radius 1e10 --density 1e-40"})
    expect_refused(std::string("generate droplet -o x.drop ") + options, 2, "a ");
  expect_refused("generate droplet -o x.drop --charge 1e308", 2, "a --charge of 1e+308 is too large (at most 1e+06)");
  expect_refused("generate droplet -o x.drop --density 1e-320", 2,
                 "a droplet of radius inf is too large (at most 1e+09)");
  EXPECT_FALSE(folder().has("x.drop"));
}

TEST_F(Structures, IonsTakeTheMassOfTheRunFile) {
  folder().write("species.toml",
                 "units = \"real\"\n[system]\nstructure = \"ions.xyz\"\n[[species]]\nname = \"Na\"\nmass = 22.99\n"
                 "[[species]]\nname = \"Cl\"\nmass = 35.45\n[[species]]\nname = \"K\"\nmass = 39.1\n");
  const auto mass_of_ion = [&](const std::string& options) {
    const Outcome outcome =
        run("ions species.toml -q --count 1 --charge 1 --spacing 2 --force -o with.xyz --backend cpu " + options);
    EXPECT_EQ(outcome.status, 0) << options << outcome.err;
    return outcome.status == 0 ? read_structure_file(folder().path() / "with.xyz").mass.at(2) : 0;
  };
  EXPECT_EQ(mass_of_ion("--species Cl"), 35.45);
  EXPECT_EQ(mass_of_ion("--species K"), 39.1) << "which no atom is";
  EXPECT_EQ(mass_of_ion("--species Cl --mass 37"), 37);
  expect_refused("ions species.toml --count 1 --species Br -o b.xyz", 2,
                 "neither run file nor structure has a mass for 'Br'");
}

TEST_F(Structures, IonsOfABareOneAddNothingThatIsNotKnown) {
  ASSERT_EQ(run("ions ions.xyz -q --count 1 --charge 1 --species Na --spacing 2 -o with.xyz --backend cpu").status, 0);
  EXPECT_THAT(lines_of(text("with.xyz")).at(1),
              "Properties=species:S:1:pos:R:3:Charge:R:1:initial_charges:R:1 pbc=\"F F F\" units=real");
  expect_refused("ions ions.xyz --count 1 --mass 5 -o w.xyz", 2, "--mass is of no use");
}

TEST_F(Structures, TheEndOfARunIsKeptWithVelocitiesUnlessItIsNotWanted) {
  ASSERT_EQ(run("run run.toml -q --steps 2 --backend cpu").status, 0);
  const Structure end = read_structure_file(folder().path() / "out/final.xyz");
  EXPECT_EQ(end.velocity.size(), 2U);
  EXPECT_EQ(end.units, UnitSystem::real);
  folder().write("none.toml", std::string(kRealRun) + "[output]\nfinal = \"\"\n");
  ASSERT_EQ(run("run none.toml -q --steps 2 --backend cpu -o none").status, 0);
  EXPECT_FALSE(folder().has("none/final.xyz"));
  folder().write("drop.toml", std::string(kRealRun) + "[output]\nfinal = \"end.drop\"\n");
  EXPECT_THAT(
      run("run drop.toml --steps 2 --backend cpu -o drop").err,
      HasSubstr(
          "dropmd: warning: end.drop does not keep velocities, masses and species (final = \"final.xyz\" does)\n"));
  EXPECT_THAT(run("ions run.toml --count 1 --charge 1 --mass 5 --spacing 2 -o i.drop").err,
              HasSubstr("dropmd: warning: i.drop does not keep velocities, masses and species (a .xyz file does)\n"));
}

}  // namespace
}  // namespace dropmd

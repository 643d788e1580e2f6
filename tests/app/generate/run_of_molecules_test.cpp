#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/system/app_folder.h"

/// `dropmd generate run` of molecules.
namespace dropmd {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Two waters with the atom names that GROMACS' programs use.
constexpr const char* kWaters =
    "two waters\n6\n"
    "    1SOL     OW    1   0.000   0.000   0.000\n    1SOL    HW1    2   0.100   0.000   0.000\n"
    "    1SOL    HW2    3  -0.033   0.094   0.000\n    2SOL     OW    4   0.000   0.000   0.300\n"
    "    2SOL    HW1    5   0.100   0.000   0.300\n    2SOL    HW2    6  -0.033   0.094   0.300\n"
    "   0.00000   0.00000   0.00000\n";

TEST(GenerateRunOfMolecules, WithoutATopologyThereIsAWarning) {
  const AppFolder folder;
  folder.write("waters.gro", kWaters);
  const std::string warning =
      "dropmd: warning: waters.gro has molecules, but there is no topology: in the run file every atom is an element "
      "by "
      "its name, without bonds, and CA is calcium (--topology FILE";
  EXPECT_THAT(folder.run("dropmd generate run waters.gro -o a.toml").err, HasSubstr(warning + ")\n"));
  folder.write("topol.top", "");
  folder.write("system.xml", "");
  folder.write("water.itp", "");
  EXPECT_EQ(folder.run("dropmd generate run waters.gro -o b.toml").err,
            warning + "; in its folder: system.xml, topol.top)\n");
  std::filesystem::create_directory(folder.path() / "in");
  folder.write("in/waters.gro", kWaters);
  EXPECT_THAT(folder.run("dropmd generate run in/waters.gro -o c.toml").err, HasSubstr("(--topology FILE)\n"));
}

/// An atom that is a residue of its own has the residue's name.
TEST(GenerateRunOfMolecules, SingleAtomsNeedNoTopology) {
  const AppFolder folder;
  folder.write(
      "ions.gro",
      "two ions\n2\n    1NA      NA    1   0.000   0.000   0.000\n    2CL      CL    2   0.300   0.000   0.000\n"
      "0 0 0\n");
  EXPECT_EQ(folder.run("dropmd generate run ions.gro -o ions.toml").err, "");
}

TEST(GenerateRunOfMolecules, FoldersAndWordsOfTheTopologyGoIntoTheRunFile) {
  const AppFolder folder;
  folder.write("waters.gro", kWaters);
  folder.write("field/water.itp", text_of(folder.path() / "inputs/samples/water-na.top"));
  folder.write("more/names.itp", "#ifdef WATERS\n[ molecules ]\nSOL WATERS\n#endif\n");
  const std::string sample = folder.text("field/water.itp");
  folder.write("field/water.itp", sample.substr(0, sample.find("[ molecules ]")));
  folder.write("waters.top", "#include \"water.itp\"\n#include \"names.itp\"\n");
  folder.write("made/empty", "");
  const std::string line = "dropmd generate run waters.gro ";
  EXPECT_THAT(folder.run(line + "-o a.toml").err, HasSubstr("there is no file 'water.itp' in the folders ."));
  const Outcome made = folder.run(line + "--include field,more --define WATERS=2 -o made/a.toml");
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_THAT(folder.text("made/a.toml"), HasSubstr("\ninclude = [\"../field\", \"../more\"] "));
  EXPECT_THAT(folder.text("made/a.toml"), HasSubstr("\ndefine = [\"WATERS=2\"] "));
  EXPECT_EQ(folder.run("dropmd energy made/a.toml --backend cpu").status, 0);
  EXPECT_EQ(folder.run(line + "--include field --include more --define WATERS=2 -o made/b.toml").status, 0);
  EXPECT_EQ(folder.text("made/a.toml"), folder.text("made/b.toml"));
}

TEST(GenerateRunOfMolecules, MistakesAreNamed) {
  const AppFolder folder;
  folder.write("waters.gro", kWaters);
  const auto expect_refused = [&](const std::string& options, int status, const std::string& message) {
    const Outcome outcome = folder.run("dropmd generate run waters.gro -o a.toml " + options);
    EXPECT_EQ(outcome.status, status) << options;
    EXPECT_THAT(outcome.err, HasSubstr("dropmd: error: " + message)) << options;
  };
  expect_refused("--include field", 2, "--include and --define are of no use without a topology (--topology FILE)");
  expect_refused("--define A", 2, "--include and --define are of no use without a topology (--topology FILE)");
  expect_refused("--define A,", 2, "--define: 'A,' has an empty item (separate items with single commas)");
  expect_refused("--topology a.prmtop", 2,
                 "--topology a.prmtop: no topology format has this extension (OpenMM reads it");
  expect_refused("--topology a.itp", 2,
                 "--topology a.itp: no topology format has this extension (a part of a topology");
  EXPECT_FALSE(folder.has("a.toml"));
}

/// With many atoms, a mesh may compute the Coulomb terms.
TEST(GenerateRunOfMolecules, OfManyAtomsRunsAndMayHaveAMesh) {
  const AppFolder folder;
  ASSERT_EQ(folder.run("dropmd generate water -q --model spce --waters 1700 -o w.gro").status, 0);
  ASSERT_EQ(folder.run("dropmd generate run w.gro -q -o w.toml").status, 0);
  EXPECT_THAT(folder.text("w.toml"), HasSubstr("\naccuracy = 1e-4 "));
  const Outcome dry = folder.run("dropmd run w.toml --dry-run --backend cpu");
  EXPECT_EQ(dry.status, 0) << dry.err;
  EXPECT_THAT(dry.out, HasSubstr("\naccuracy = 0.0001\n"));
  EXPECT_EQ(folder.run("dropmd run w.toml --steps 1 -q --backend cpu").status, 0);
  ASSERT_EQ(folder.run("dropmd generate water -q --model spce --waters 1600 -o few.gro").status, 0);
  ASSERT_EQ(folder.run("dropmd generate run few.gro -q -o few.toml").status, 0);
  EXPECT_THAT(folder.text("few.toml"), Not(HasSubstr("accuracy")));
}

}  // namespace
}  // namespace dropmd

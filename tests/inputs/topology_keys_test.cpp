#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "inputs/run_file/run_config.h"
#include "inputs/run_file/run_file.h"
#include "inputs/run_file/settings/setting.h"
#include "tests/inputs/bad_files.h"
#include "tests/support/form_catalog.h"

/// The keys of a run file that are about a topology, and what must not stand beside one.
namespace dropmd {
namespace {

std::string message_of_keys(const std::string& toml, const std::vector<std::string>& settings = {}) {
  std::vector<Setting> parsed;
  for (const std::string& setting : settings) parsed.push_back(parse_setting("--set", setting));
  return input_error_of("run.toml", [&] { parse_run_file({"FILE", toml}, "run.toml", test_form_catalog(), parsed); });
}

const std::string kMolecules = "units = \"real\"\n[system]\nstructure = \"a.gro\"\ntopology = \"a.top\"\n";

TEST(TopologyKeys, ARunOfMoleculesIsRead) {
  EXPECT_EQ(message_of_keys(kMolecules), "no error");
  EXPECT_EQ(
      message_of_keys(kMolecules + "[lennard-jones]\ncutoff = 12\n[coulomb]\nform = \"exact\"\naccuracy = 1e-4\n"),
      "no error");
}

/// An unknown key that means the topology is the only mistake of a file that is right with one.
TEST(TopologyKeys, AMisspeltTopologyCountsAsOne) {
  EXPECT_EQ(message_of_keys(
                "units = \"real\"\n[system]\nstructure = \"a.gro\"\ntoplogy = \"a.top\"\ndefine = [\"FLEXIBLE\"]\n"
                "[constraints]\nbonds = \"hydrogens\"\n[lennard-jones]\ncutoff = 12\n"),
            "FILE:4:1: unknown key 'toplogy' in [system] (did you mean 'topology'?)");
}

TEST(TopologyKeys, AMacroHasAName) {
  EXPECT_EQ(message_of_keys(kMolecules + "define = [\"FLEXIBLE\", \"K=1 2\", \"-X\"]\n"), "no error");
  for (const std::string define : {"", "=3", "A B"})
    EXPECT_EQ(
        message_of_keys(kMolecules + "define = [\"" + define + "\"]\n"),
        "FILE:5:1: '" + define + "' in 'define' in [system] does not name a macro (write \"NAME\" or \"NAME=VALUE\")");
}

TEST(TopologyKeys, WithoutParametersATopologyIsTheOtherRemedy) {
  const auto message = [](const std::string& structure) {
    return message_of_keys("units = \"real\"\n[system]\nstructure = \"" + structure +
                           "\"\n[lennard-jones]\nsigma = 3\n");
  };
  for (const char* const structure : {"a.gro", "a.pdb", "a.cif"})
    EXPECT_EQ(
        message(structure),
        "FILE:4:1: [lennard-jones] has no 'epsilon' (give the depth of the potential, an energy; or, for molecules, "
        "topology = \"FILE\" in [system])");
  EXPECT_EQ(message("a.drop"),
            "FILE:4:1: [lennard-jones] has no 'epsilon' (give the depth of the potential, an energy)");
}

TEST(TopologyKeys, UnitsLjBesideATopologyAndNoUnitsAreDifferentMistakes) {
  const std::string rest = "[system]\nstructure = \"a.gro\"\ntopology = \"a.top\"\n";
  EXPECT_EQ(message_of_keys(rest), "FILE:1:1: the run file has no 'units' (units = \"real\" or units = \"lj\")");
  EXPECT_EQ(
      message_of_keys("units = \"lj\"\n" + rest),
      "FILE:4:12: a topology cannot be combined with units = \"lj\" (set units = \"real\", the units of topologies)");
}

TEST(TopologyKeys, AMeshBesideUntruncatedVanDerWaalsTermsIsNamedWhereItIsSet) {
  const std::string mistake =
      "a mesh for Coulomb terms cannot be combined with van der Waals terms without a cutoff (set one in "
      "[lennard-jones], such as cutoff = 12.0)";
  EXPECT_EQ(message_of_keys(kMolecules + "[coulomb]\nform = \"exact\"\naccuracy = 1e-4\n"), "FILE:7:12: " + mistake);
  EXPECT_EQ(message_of_keys(kMolecules, {"coulomb.method=mesh"}), "--set coulomb.method=mesh: " + mistake);
  EXPECT_EQ(message_of_keys(kMolecules, {"coulomb.method=mesh", "lennard-jones.cutoff=9"}), "no error");
}

TEST(TopologyKeys, FilesOfOtherProgramsHaveAWay) {
  const auto message = [](const std::string& topology) {
    return message_of_keys("units = \"real\"\n[system]\nstructure = \"a.gro\"\ntopology = \"" + topology + "\"\n");
  };
  const std::string by_openmm =
      "(OpenMM reads it and writes a System, system.xml, which is a topology: docs/molecules.md shows how)";
  EXPECT_EQ(message("a.prmtop"), "FILE:4:12: no topology format has the extension of 'a.prmtop' " + by_openmm);
  EXPECT_EQ(message("a.psf"), "FILE:4:12: no topology format has the extension of 'a.psf' " + by_openmm);
  EXPECT_EQ(message("a.itp"),
            "FILE:4:12: no topology format has the extension of 'a.itp' (a part of a topology: name the .top file that "
            "includes it)");
  EXPECT_EQ(message("a.txt"), "FILE:4:12: no topology format has the extension of 'a.txt' (known: .top, .xml)");
}

}  // namespace
}  // namespace dropmd

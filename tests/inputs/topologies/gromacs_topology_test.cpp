#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/errors.h"
#include "tests/inputs/bad_files.h"
#include "tests/inputs/topologies/topology_text.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;
using Pairs = std::vector<std::pair<int, int>>;
using testing::ElementsAre;
using testing::HasSubstr;

/// Water of TIP4P/2005 and its hydronium, rigid by constraints alone.
constexpr std::string_view kHydronium = R"(
[ defaults ]
1 2 no
[ atomtypes ]
OW 8 15.9994 0 A 0.31589 0.7749
HW 1 1.008   0 A 0 0
MW 0 0       0 D 0 0
[ moleculetype ]
SOL 2
[ atoms ]
1 OW 1 SOL OW  1 0
2 HW 1 SOL HW1 1 0.5564
3 HW 1 SOL HW2 1 0.5564
4 MW 1 SOL MW  1 -1.1128
#ifndef FLEXIBLE
[ constraints ]
1 2 1 0.09572
1 3 1 0.09572
2 3 1 0.15139
#else
[ bonds ]
1 2 1 0.09572 502416
1 3 1 0.09572 502416
[ angles ]
2 1 3 1 104.52 628.02
#endif
[ virtual_sites3 ]
4 1 2 3 1 0.13193828 0.13193828
[ exclusions ]
1 2 3 4
2 1 3 4
3 1 2 4
4 1 2 3
[ moleculetype ]
H3O 2
[ atoms ]
1 OW 1 H3O OW  1 0
2 HW 1 H3O HW1 1 0.4722
3 HW 1 H3O HW2 1 0.4722
4 HW 1 H3O HW3 1 0.4722
5 MW 1 H3O MW  1 -0.4166
[ constraints ]
1 2 1 0.098
1 3 1 0.098
1 4 1 0.098
2 3 1 0.161
2 4 1 0.161
3 4 1 0.161
[ virtual_sites4 ]
5 1 2 3 4 2 1 1 0.015
[ exclusions ]
5 1 2 3 4
[ system ]
proton in water ; a droplet
[ molecules ]
SOL 2
h3o 1
SOL 1
)";

TEST(GromacsTopology, HydroniumInWater) {
  const MolecularModel model = model_of(kHydronium);
  EXPECT_EQ(model.title, "proton in water");
  EXPECT_EQ(model.size(), 17U);
  EXPECT_THAT(model.molecule_names, ElementsAre("SOL", "H3O"));
  EXPECT_EQ(model.molecule_name[7], 0U);
  EXPECT_EQ(model.molecule_name[8], 1U);
  EXPECT_EQ(model.molecule_name[13], 0U);
  EXPECT_THAT(model.topology.molecule, ElementsAre(1, 1, 1, 1, 5, 5, 5, 5, 9, 9, 9, 9, 9, 14, 14, 14, 14));
  EXPECT_EQ(model.topology.constraints.size(), 15U);
  EXPECT_EQ(model.topology.constraints[6], (Constraint{{8, 9}, 0.98}));
  EXPECT_EQ(model.topology.constraints[14], (Constraint{{14, 15}, 1.5139}));
  ASSERT_EQ(model.topology.virtual_sites.size(), 4U);
  EXPECT_EQ(model.topology.virtual_sites[2], (VirtualSite{SiteForm::four_fdn, 12, {8, 9, 10, 11}, {1, 1, 0.15}}));
  EXPECT_EQ(model.topology.virtual_sites[3].site, 16U);
  EXPECT_EQ(excluded_pairs(model).size(), 3 * 6 + 10U) << "all pairs within each molecule";
  EXPECT_TRUE(model.warnings.empty());
  EXPECT_THAT(model.type_names, ElementsAre("OW", "HW", "MW"));
}

TEST(GromacsTopology, DefinitionsSelectAModel) {
  GromacsOptions options;
  options.defines = {"FLEXIBLE", "POSRES"};
  const MolecularModel model = model_of(kHydronium, options);
  EXPECT_EQ(model.topology.constraints.size(), 6U);
  EXPECT_EQ(terms_of<HarmonicBond>(model).size(), 6U);
  EXPECT_EQ(terms_of<HarmonicAngle>(model)[2].atom, (AtomNumbers<3>{14, 13, 15}));
  ASSERT_EQ(model.warnings.size(), 1U);
  EXPECT_THAT(model.warnings[0], HasSubstr("a.top: nothing in the topology uses the definition 'POSRES'"));
}

TEST(GromacsTopology, MoleculeNames) {
  const auto molecule = [](const std::string& name, const std::string& type) {
    return "[ moleculetype ]\n" + name + " 0\n[ atoms ]\n1 " + type + " 1 " + name + " X 1\n";
  };
  const std::string types = std::string(kSmallField) + molecule("Na", "C") + molecule("NA", "H") + "[ system ]\nt\n";
  EXPECT_THAT(model_of(types + "[ molecules ]\nNA 1\nNa 2\n").molecule_names, ElementsAre("NA", "Na"));
  EXPECT_THAT(input_error_of("a.top", [&] { model_of(types + "[ molecules ]\nna 1\n"); }),
              HasSubstr("several molecule types are named 'na'"));
  EXPECT_EQ(model_of(types + "[ molecules ]\nNA 0\nNa 2\n").size(), 2U);
  const MolecularModel model = model_of(types + "[ molecules ]\nNa 1\n");
  EXPECT_THAT(model.type_names, ElementsAre("C")) << "types of molecules that occur";
}

/// A molecule type that does not occur may be wrong as a whole.
TEST(GromacsTopology, UnusedMoleculeTypes) {
  const MolecularModel model =
      model_of(std::string(kSmallField) + std::string(kSmallMolecule) +
               "[ moleculetype ]\nwrong 1\n[ atoms ]\n1 M 1 M M 1\n" + std::string(kOneMolecule));
  EXPECT_EQ(model.size(), 6U);
}

TEST(GromacsTopology, InteractionsBetweenMolecules) {
  const MolecularModel model =
      model_of(std::string(kSmallField) + std::string(kSmallMolecule) +
               "[ system ]\nt\n[ molecules ]\nmol 2\n[ intermolecular_interactions ]\n[ angles ]\n1 7 12 1 109 100\n[ "
               "dihedrals ]\n1 2 7 8 1 0 1 1\n[ pairs ]\n1 9 1\n");
  EXPECT_EQ(terms_of<HarmonicAngle>(model)[0].atom, (AtomNumbers<3>{0, 6, 11}));
  EXPECT_EQ(terms_of<PeriodicDihedral>(model)[0].atom, (AtomNumbers<4>{0, 1, 6, 7}));
  EXPECT_DOUBLE_EQ(terms_of<BondedPair>(model)[0].charges, 0.8 * 0.5 * 0.25);
  EXPECT_TRUE(model.topology.exclusions.empty());
}

TEST(GromacsTopology, TextBetweenAsterisks) {
  const MolecularModel model = model_of("****\n* Title *\n" + std::string(kSmallField) + std::string(kSmallMolecule) +
                                        std::string(kOneMolecule));
  EXPECT_EQ(model.size(), 6U);
}

TEST(GromacsTopology, LimitOfAtoms) {
  GromacsOptions options;
  options.most_atoms = 11;
  const std::string text =
      std::string(kSmallField) + std::string(kSmallMolecule) + "[ system ]\nt\n[ molecules ]\nmol 2\n";
  EXPECT_THAT(input_error_of("a.top", [&] { model_of(text, options); }),
              HasSubstr("FILE:19:1: 2 molecules of 6 atoms make more than 11 atoms (use fewer molecules)"));
  options.most_atoms = 12;
  EXPECT_EQ(model_of(text, options).size(), 12U);
}

TEST(GromacsTopology, TooManyExclusions) {
  std::string text = std::string(kSmallField) + "[ moleculetype ]\nmol 2\n[ atoms ]\n";
  for (int k = 1; k <= 4200; ++k) text += std::to_string(k) + " C 1 M C 1\n";
  text += "[ bonds ]\n";
  for (int k = 2; k <= 4200; ++k) text += "1 " + std::to_string(k) + " 5\n";
  EXPECT_THAT(
      input_error_of("a.top", [&] { model_of(text + std::string(kOneMolecule)); }),
      HasSubstr("FILE:8:1: atom 1 of this molecule type has 4199 or more exclusions (at most 4096 are allowed: "));
}

TEST(GromacsTopology, MissingFile) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.top";
  EXPECT_EQ(input_error_of(path, [&] { read_gromacs_topology(path, {}); }), "FILE: no such file (check the path)");
}

/// The force fields of Debian's package gromacs-data.
TEST(GromacsTopology, InstalledForceFields) {
  const fs::path library = "/usr/share/gromacs/top";
  if (!fs::exists(library / "amber99sb-ildn.ff")) GTEST_SKIP() << "gromacs-data is not installed";
  struct Case {
    const char *field, *water;
    std::size_t n_sites;
  };
  for (const Case& one :
       {Case{"amber99sb-ildn", "tip4pew", 1}, Case{"charmm27", "tip3p", 0}, Case{"oplsaa", "tip5p", 2}}) {
    SCOPED_TRACE(one.field);
    const std::string folder = std::string(one.field) + ".ff/";
    GromacsOptions options;
    options.include_folders = {library};
    const MolecularModel model =
        model_of("#include \"" + folder + "forcefield.itp\"\n#include \"" + folder + one.water + ".itp\"\n#include \"" +
                     folder + "ions.itp\"\n[ system ]\nwater\n[ molecules ]\nSOL 10\nCL 2\n",
                 options);
    EXPECT_EQ(model.size(), 10 * (3 + one.n_sites) + 2);
    EXPECT_EQ(model.topology.constraints.size(), 30U);
    EXPECT_EQ(model.topology.virtual_sites.size(), 10 * one.n_sites);
  }
}

}  // namespace
}  // namespace dropmd

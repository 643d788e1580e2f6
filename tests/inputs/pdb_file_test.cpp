#include "inputs/structures/pdb_file.h"

#include <gmock/gmock.h>

#include "tests/inputs/structure_format.h"

namespace dropmd {
namespace {

using testing::ElementsAre, testing::HasSubstr;

constexpr StructureFormat kPdb{"a.pdb", read_pdb_file};

constexpr std::string_view kOxygen =
    "ATOM      1  OW  HOH A   1       1.000   2.000   3.000  1.00  0.00           O  \n";
constexpr std::string_view kSodium = "HETATM    2 NA    NA A   2      -1.500 -20.000  30.250  1.00  0.00          NA\n";

std::string operator+(std::string_view a, std::string_view b) { return std::string(a) + std::string(b); }

TEST(PdbFile, AtomsOfAllRecords) {
  const Structure structure = kPdb.read("HEADER    X\nTITLE     water\nTITLE    2 AND SALT\nREMARK 1\n" +
                                        (kOxygen + "TER\n") + std::string(kSodium) + "CONECT    1    2\nEND\n");
  EXPECT_EQ(structure.title, "water AND SALT");
  EXPECT_EQ(structure.units, UnitSystem::real);
  EXPECT_EQ(structure.position, (Vectors{{1, 2, 3}, {-1.5, -20, 30.25}}));
  EXPECT_EQ(structure.species_names, (Names{"O", "Na"}));
  EXPECT_EQ(structure.atom_name, (Names{"OW", "NA"}));
  EXPECT_EQ(structure.residue_name, (Names{"HOH", "NA"}));
  EXPECT_EQ(structure.residue_number, (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(structure.place_of_atom(1).line, 7U);
  EXPECT_TRUE(structure.velocity.empty());
  EXPECT_TRUE(structure.warnings.empty());
}

/// Files of simulations repeat residue numbers from 9999 on. Atoms keep the order of the file all the same.
TEST(PdbFile, RepeatedResidueNumbersKeepTheOrder) {
  const Structure structure = kPdb.read(
      "ATOM      1  A   HOH A   1       1.000   0.000   0.000\n"
      "ATOM      2  B   HOH A   2       2.000   0.000   0.000\n"
      "ATOM      3  C   HOH A   1       3.000   0.000   0.000\n");
  EXPECT_EQ(structure.position, (Vectors{{1, 0, 0}, {2, 0, 0}, {3, 0, 0}}));
  EXPECT_EQ(structure.species_names, (Names{"A", "B", "C"})) << "without symbols the names";
}

TEST(PdbFile, ResidueNumbersAndNames) {
  const auto read_residue = [](std::string_view columns) {
    const Structure structure = kPdb.read("ATOM      1  A   " + std::string(columns) + "      1.000   0.000   0.000\n");
    return std::pair(structure.residue_name.at(0), structure.residue_number.at(0));
  };
  EXPECT_EQ(read_residue("HOH A9999 "), std::pair(std::string("HOH"), 9999));
  EXPECT_EQ(read_residue("TIP3A  -1 "), std::pair(std::string("TIP3"), -1));
  EXPECT_EQ(read_residue("HOH AA000 "), std::pair(std::string("HOH"), 10000));
  EXPECT_EQ(read_residue("HOH AA00Z "), std::pair(std::string("HOH"), 10035));
  EXPECT_EQ(read_residue("HOH AZZZZ "), std::pair(std::string("HOH"), 10000 + 26 * 36 * 36 * 36 - 1));
  EXPECT_EQ(read_residue("HOH Aa000 "), std::pair(std::string("HOH"), 10000 + 26 * 36 * 36 * 36));
  EXPECT_EQ(read_residue("          "), std::pair(std::string(""), 0));
  EXPECT_EQ(read_residue("HOH A  12B"), std::pair(std::string("HOH"), 12)) << "with an insertion code";
}

TEST(PdbFile, FirstModelIsRead) {
  const Structure structure =
      kPdb.read("MODEL        1\n" + (kOxygen + "ENDMDL\nMODEL        2\n") + std::string(kSodium) + "ENDMDL\n");
  EXPECT_EQ(structure.position.size(), 1U);
  EXPECT_THAT(structure.warnings, ElementsAre(HasSubstr("a.pdb:5:1: the first model is read, what follows is not")));
}

TEST(PdbFile, ABoxIsIgnoredWithAWarning) {
  const auto warnings_with = [](std::string_view box) { return kPdb.read(box + kOxygen).warnings; };
  EXPECT_EQ(warnings_with("CRYST1    1.000    1.000    1.000  90.00  90.00  90.00 P 1           1\n"), Names{});
  EXPECT_EQ(warnings_with("CRYST1    0.000    0.000    0.000  90.00  90.00  90.00 P 1           1\n"), Names{});
  const Names warnings = warnings_with("CRYST1   30.000   30.000   30.000  90.00  90.00  90.00 P 1           1\n");
  EXPECT_THAT(
      warnings,
      ElementsAre(HasSubstr("a.pdb:1:1: the box is ignored, as boundaries are open (molecules must be whole)")));
}

const BadFile kBadPdb[] = {
    {"Empty", "", "FILE:1:1: the file is empty (a PDB file is expected)"},
    {"NoAtoms", "REMARK\nEND\n", "FILE:3:1: the file has no atoms (expected: ATOM or HETATM records)"},
    {"Misspelt", "HETATMM   1  OW  HOH A   1       1.000   2.000   3.000\nATOMS\n",
     "FILE:2:1: unknown record 'ATOMS' (did you mean ATOM?)"},
    {"NoName", "ATOM      1      HOH A   1       1.000   2.000   3.000\n",
     "FILE:1:13: atom 1 has no name (columns 13 to 16)"},
    {"ShortLine", "ATOM      1  OW\n", "FILE:1:16: atom 1 has no x (columns 31 to 38)"},
    {"CoordinateMissing", "ATOM      1  OW  HOH A   1       1.000   2.000\n",
     "FILE:1:47: atom 1 has no z (columns 47 to 54)"},
    {"CoordinateIsAWord", "ATOM      1  OW  HOH A   1       1.000   2,000   3.000\n",
     "FILE:1:42: y is '2,000', not a number (expected: a decimal number such as -1.25e-3)"},
    {"CoordinatesShifted", "ATOM      1  OW  HOH A   1        1.000   2.000   3.000\n",
     "FILE:1:39: y is '0   2.00', not a number (expected: a decimal number such as -1.25e-3)"},
    {"AlternateLocation", "ATOM      1  CA AGLY A   1       1.000   2.000   3.000\n",
     "FILE:1:17: atom 1, CA, has the alternate location 'A' (keep one location of each atom and clear column 17)"},
    {"ResidueNumberIsAWord", "ATOM      1  OW  HOH A  x1       1.000   2.000   3.000\n",
     "FILE:1:25: the residue number is 'x1', not a whole number (columns 23 to 26)"},
    {"BoxIsAWord", "CRYST1   thirty\n",
     "FILE:1:10: the edge of the box is 'thirty', not a number (expected: a decimal number such as -1.25e-3)"},
};

class BadPdb : public testing::TestWithParam<BadFile> {};

TEST_P(BadPdb, GivesItsMessage) { EXPECT_EQ(kPdb.message(GetParam().text), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(Table, BadPdb, testing::ValuesIn(kBadPdb), bad_file_name);

}  // namespace
}  // namespace dropmd

#include "inputs/structures/gro_file.h"

#include <gmock/gmock.h>

#include "tests/inputs/structure_format.h"

namespace dropmd {
namespace {

using testing::ElementsAre, testing::HasSubstr;

constexpr StructureFormat kGro{"a.gro", read_gro_file};

constexpr std::string_view kWater =
    "a water molecule\n"
    "    3\n"
    "    1SOL     OW    1   0.126   1.624  -1.679  0.1227 -0.0580  0.0434\n"
    "    1SOL    HW1    2   0.190   1.661   1.747  0.8085  0.3191 -0.7791\n"
    "    1SOL    HW2    3   0.177   1.568   1.613 -0.9045 -2.6469  1.3180\n"
    "   1.82060   1.82060   1.82060\n";

TEST(GroFile, NamesPositionsAndVelocities) {
  const Structure structure = kGro.read(kWater);
  EXPECT_EQ(structure.title, "a water molecule");
  EXPECT_EQ(structure.units, UnitSystem::real);
  EXPECT_EQ(structure.residue_number, (std::vector<std::int32_t>{1, 1, 1}));
  EXPECT_EQ(structure.residue_name, (Names{"SOL", "SOL", "SOL"}));
  EXPECT_EQ(structure.atom_name, (Names{"OW", "HW1", "HW2"}));
  EXPECT_EQ(structure.species_names, (Names{"OW", "HW1", "HW2"}));
  ASSERT_EQ(structure.position.size(), 3U);
  EXPECT_EQ(structure.position[0], (Vec3<double>{1.26, 16.240000000000002, -16.79}));
  EXPECT_DOUBLE_EQ(structure.velocity[2].x, -0.009045);
  EXPECT_DOUBLE_EQ(structure.velocity[2].y, -0.026469);
  EXPECT_EQ(structure.place_of_atom(1).line, 4U);
  EXPECT_TRUE(structure.mass.empty());
  EXPECT_TRUE(structure.charge.empty());
}

TEST(GroFile, ABoxIsIgnoredWithAWarning) {
  const auto warnings_with = [](std::string_view end) {
    return kGro.read(std::string("t\n1\n    1SOL     OW    1   0.100   0.200   0.300\n") + std::string(end)).warnings;
  };
  EXPECT_EQ(warnings_with("0 0 0\n"), Names{});
  EXPECT_EQ(warnings_with("   0.00000   0.00000   0.00000"), Names{}) << "without a line end";
  for (const char* const box : {"1 2 3\n", "1 1 1 0 0 0.5 0 0.5 0.5\n"}) {
    const Names warnings = warnings_with(box);
    EXPECT_THAT(
        warnings,
        ElementsAre(HasSubstr("a.gro:4:1: the box is ignored, as boundaries are open (molecules must be whole)")));
  }
}

/// The distance of the decimal points is the width of the columns, whose numbers may touch.
TEST(GroFile, Precision) {
  const Structure fine = kGro.read(
      "t\n1\n    1SOL     OW    1   0.123456 -11.000001-999.999999  0.1234567  0.0000001 -1.0000000\n0 0 0\n");
  EXPECT_DOUBLE_EQ(fine.position[0].x, 1.23456);
  EXPECT_DOUBLE_EQ(fine.position[0].y, -110.00001);
  EXPECT_DOUBLE_EQ(fine.position[0].z, -9999.99999);
  EXPECT_DOUBLE_EQ(fine.velocity[0].x, 0.001234567);
  EXPECT_DOUBLE_EQ(fine.velocity[0].y, 1e-9);
  EXPECT_DOUBLE_EQ(fine.velocity[0].z, -0.01);
  const Structure coarse = kGro.read("t\n1\n    1SOL     OW    1  10.12 -20.00   3.00\n0 0 0\n");
  EXPECT_DOUBLE_EQ(coarse.position[0].x, 101.2);
  EXPECT_DOUBLE_EQ(coarse.position[0].y, -200);
}

TEST(GroFile, NamesMayFillTheirColumns) {
  const Structure structure = kGro.read(
      "t\n2\n99999TIP4PHW1AB99999   0.100   0.200   0.300\n    0         X*****   0.100   0.200   0.400\n0 0 0\n");
  EXPECT_EQ(structure.residue_number, (std::vector<std::int32_t>{99999, 0}));
  EXPECT_EQ(structure.residue_name, (Names{"TIP4P", ""}));
  EXPECT_EQ(structure.atom_name, (Names{"HW1AB", "X"}));
}

TEST(GroFile, WindowsLineEndsAndBlankLinesAtTheEnd) {
  const Structure structure = kGro.read("t\r\n1\r\n    1SOL     OW    1   0.100   0.200   0.300\r\n0 0 0\r\n\r\n \r\n");
  EXPECT_EQ(structure.position, (Vectors{{1, 2, 3}}));
  EXPECT_TRUE(structure.warnings.empty());
}

TEST(GroFile, FirstFrameIsRead) {
  const Structure structure =
      kGro.read(std::string("t\n1\n    1SOL     OW    1   0.100   0.200   0.300\n0 0 0\n") + std::string(kWater));
  EXPECT_EQ(structure.position.size(), 1U);
  EXPECT_THAT(structure.warnings, ElementsAre(HasSubstr("a.gro:5:1: the first frame is read, what follows is not")));
}

const BadFile kBadGro[] = {
    {"Empty", "", "FILE:1:1: the file is empty (a .gro file is expected)"},
    {"TitleAlone", "t\n",
     "FILE:2:1: the file ends before the number of atoms (expected: title, number of atoms, atoms, box)"},
    {"NoCount", "t\n\n", "FILE:2:1: the number of atoms is missing (line 2 of a .gro file)"},
    {"CountIsAWord", "t\nSOL\n",
     "FILE:2:1: the number of atoms is 'SOL', not a whole number (use digits only, such as 4139)"},
    {"CountIsZero", "t\n 0\n0 0 0\n", "FILE:2:2: the number of atoms is 0 (it must be at least 1)"},
    {"WordAfterCount", "t\n1 atom\n", "FILE:2:3: 'atom' after the number of atoms (it must be alone on its line)"},
    {"HugeCount", "t\n99999999999\n    1SOL     OW    1   0.100   0.200   0.300\n0 0 0\n",
     "FILE:2:1: the number of atoms is 99999999999, but 2 lines follow (that many lines must follow, then the box)"},
    {"NoAtoms", "t\n1\n", "FILE:3:1: the file ends after 0 of 1 atoms (their number is on line 2)"},
    {"FewerAtoms", "t\n2\n    1SOL     OW    1   0.100   0.200   0.300\n",
     "FILE:4:1: the file ends after 1 of 2 atoms (their number is on line 2)"},
    {"BoxForAnAtom", "t\n2\n    1SOL     OW    1   0.100   0.200   0.300\n   1.0   1.0   1.0\n",
     "FILE:4:1: a box instead of atom 2 (line 2 counts too many atoms, or atoms are missing)"},
    {"LineOfWordsForAnAtom", "t\n2\n    1SOL     OW    1   0.100   0.200   0.300\n   1.0   1.0   a.0\n",
     "FILE:4:4: the residue number is '1.', not a whole number (columns 1 to 5)"},
    {"NoBox", "t\n1\n    1SOL     OW    1   0.100   0.200   0.300\n",
     "FILE:4:1: the file ends after atom 1, the last according to line 2 (the box must follow, 3 or 9 numbers; 0 0 0: "
     "none)"},
    {"BoxOfTwoNumbers", "t\n1\n    1SOL     OW    1   0.100   0.200   0.300\n1 2\n",
     "FILE:4:1: atom 1 is the last according to line 2, but what follows is not a box of 3 or 9 numbers (0 0 0: none; "
     "if it is an atom, line 2 counts too few)"},
    {"BoxOfAWrongNumber", "t\n1\n    1SOL     OW    1   0.100   0.200   0.300\n1 2 3-4\n",
     "FILE:4:5: a number of the box is '3-4', not a number (expected: a decimal number such as -1.25e-3)"},
    {"MoreAtoms",
     "t\n1\n    1SOL     OW    1   0.100   0.200   0.300\n    1SOL     OW    1   0.100   0.200   0.300\n0 0 0\n",
     "FILE:4:1: atom 1 is the last according to line 2, but what follows is not a box of 3 or 9 numbers (0 0 0: none; "
     "if it is an atom, line 2 counts too few)"},
    {"BlankLine", "t\n2\n    1SOL     OW    1   0.100   0.200   0.300\n\n0 0 0\n",
     "FILE:4:1: atom 2 has no residue number (columns 1 to 5)"},
    {"ResidueNumberIsAWord", "t\n1\n   1aSOL     OW    1   0.100   0.200   0.300\n0 0 0\n",
     "FILE:3:4: the residue number is '1a', not a whole number (columns 1 to 5)"},
    {"NoName", "t\n1\n    1SOL           1   0.100   0.200   0.300\n0 0 0\n",
     "FILE:3:11: atom 1 has no name (columns 11 to 15)"},
    {"NoDecimalPoints", "t\n1\n    1SOL     OW    1   0   0   0\n0 0 0\n",
     "FILE:3:21: atom 1 does not have three numbers with decimal points from column 21 on (give its position in nm)"},
    {"ShortLine", "t\n1\n    1SOL\n0 0 0\n",
     "FILE:3:9: atom 1 does not have three numbers with decimal points from column 21 on (give its position in nm)"},
    {"FreeFormat", "t\n1\n    1SOL     OW    1 0.1 0.22 0.3\n0 0 0\n",
     "FILE:3:32: the decimal points of x, y and z are 4 and 5 columns apart (the distances must be equal: they are the "
     "width of the columns)"},
    {"CoordinateIsAWord", "t\n1\n    1SOL     OW    1   0.100   x.200   0.300\n0 0 0\n",
     "FILE:3:32: y is 'x.200', not a number (expected: a decimal number such as -1.25e-3)"},
    {"CoordinateMissing",
     "t\n2\n    1SOL     OW    1   0.100   0.200   0.300\n    1SOL     OW    2   0.100   0.200\n0 0 0\n",
     "FILE:4:37: atom 2 has no z"},
    {"CoordinateIsNotFinite", "t\n1\n    1SOL     OW    1   0.100   0.200   0.300     nan     nan     nan\n0 0 0\n",
     "FILE:3:50: v_x is 'nan', not finite (expected: a decimal number such as -1.25e-3)"},
    {"VelocityMissing",
     "t\n2\n    1SOL     OW    1   0.100   0.200   0.300  0.1000  0.1000  0.1000\n"
     "    1SOL     OW    2   0.100   0.200   0.300\n0 0 0\n",
     "FILE:4:45: atom 2 has no velocity (atom 1 has one)"},
    {"VelocityTooMuch",
     "t\n2\n    1SOL     OW    1   0.100   0.200   0.300\n"
     "    1SOL     OW    2   0.100   0.200   0.300  0.1000  0.1000  0.1000\n0 0 0\n",
     "FILE:4:45: atom 2 has more than a position (atom 1 has no velocity)"},
    {"VelocityOfTwoNumbers", "t\n1\n    1SOL     OW    1   0.100   0.200   0.300  0.1000  0.1000\n0 0 0\n",
     "FILE:3:61: atom 1 has no v_z"},
    {"WordAfterVelocity", "t\n1\n    1SOL     OW    1   0.100   0.200   0.300  0.1000  0.1000  0.1000 1\n0 0 0\n",
     "FILE:3:70: '1' after the velocity of atom 1 (8 columns for each number)"},
};

class BadGro : public testing::TestWithParam<BadFile> {};

TEST_P(BadGro, GivesItsMessage) { EXPECT_EQ(kGro.message(GetParam().text), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(Table, BadGro, testing::ValuesIn(kBadGro), bad_file_name);

}  // namespace
}  // namespace dropmd

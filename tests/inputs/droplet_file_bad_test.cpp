#include "inputs/structures/droplet_file.h"
#include "tests/inputs/structure_format.h"

namespace dropmd {
namespace {

using namespace std::string_view_literals;

const BadFile kBadDroplets[] = {
    {"Empty", "", "FILE:1:1: the file is empty (a droplet file is expected)"},
    {"OnlyByteOrderMark", "\xEF\xBB\xBF", "FILE:1:1: the file is empty (a droplet file is expected)"},
    {"NulByte", "title\n1\n10\n0 0\0 0 0\n"sv, "FILE:4:4: binary data, a NUL byte (a droplet file is text)"},
    {"OnlyTitle", "title",
     "FILE:2:1: the file ends before the number of atoms (a droplet file has a title, the number of atoms, the radius, "
     "then x y z q)"},
    {"OnlyTitleLine", "title\n",
     "FILE:2:1: the file ends before the number of atoms (a droplet file has a title, the number of atoms, the radius, "
     "then x y z q)"},
    {"BlankCount", "title\n  \n10\n0 0 0 0\n",
     "FILE:2:3: the number of atoms is missing (a droplet file has a title, the number of atoms, the radius, then x y "
     "z q)"},
    {"CountIsAWord", "title\nmany\n10\n0 0 0 0\n",
     "FILE:2:1: the number of atoms is 'many', not a whole number (use digits only, such as 4139)"},
    {"CountIsNegative", "title\n-3\n10\n0 0 0 0\n",
     "FILE:2:1: the number of atoms is '-3', not a whole number (use digits only, such as 4139)"},
    {"CountIsAFraction", "title\n 1.5\n10\n0 0 0 0\n",
     "FILE:2:2: the number of atoms is '1.5', not a whole number (use digits only, such as 4139)"},
    {"CountIsZero", "title\n0\n10\n", "FILE:2:1: the number of atoms is 0 (it must be at least 1)"},
    {"CountBeyond64Bits", "title\n99999999999999999999\n10\n0 0 0 0\n",
     "FILE:2:1: the number of atoms is '99999999999999999999', not a whole number (use digits only, such as 4139)"},
    {"CountBeyondTheFile", "title\n1000000000000\n10\n0 0 0 0\n1 1 1 1\n",
     "FILE:2:1: the number of atoms is 1000000000000, but the file holds 2 lines of atoms (the two must agree)"},
    {"WordAfterCount", "title\n1 atoms\n10\n0 0 0 0\n",
     "FILE:2:3: 'atoms' after the number of atoms (it must be alone on line 2)"},
    {"NoRadius", "title\n1\n",
     "FILE:2:1: the number of atoms is 1, but the file holds 0 lines of atoms (the two must agree)"},
    {"BlankRadius", "title\n1\n\n0 0 0 0\n",
     "FILE:3:1: the radius is missing (a droplet file has a title, the number of atoms, the radius, then x y z q)"},
    {"RadiusIsAWord", "title\n1\nwide\n0 0 0 0\n",
     "FILE:3:1: the radius is 'wide', not a number (expected: a decimal number such as -1.25e-3)"},
    {"RadiusIsZero", "title\n1\n0.0\n0 0 0 0\n", "FILE:3:1: the radius is 0.0 (it must be greater than 0)"},
    {"RadiusIsNegative", "title\n1\n\t-3\n0 0 0 0\n", "FILE:3:2: the radius is -3 (it must be greater than 0)"},
    {"RadiusIsNaN", "title\n1\nnan\n0 0 0 0\n",
     "FILE:3:1: the radius is 'nan', not finite (expected: a decimal number such as -1.25e-3)"},
    {"RadiusIsInfinite", "title\n1\ninf\n0 0 0 0\n",
     "FILE:3:1: the radius is 'inf', not finite (expected: a decimal number such as -1.25e-3)"},
    {"WordAfterRadius", "title\n1\n10 A\n0 0 0 0\n", "FILE:3:4: 'A' after the radius (it must be alone on line 3)"},
    {"FewerAtoms", "title\n3\n10\n0.0 0.0 0.0 0.0\n1.0 1.0 1.0 1.0\n",
     "FILE:6:1: the file ends after 2 of 3 atoms (expected: n lines x y z q, with n on line 2)"},
    {"MoreAtoms", "title\n1\n10\n0 0 0 0\n 1 1 1 1\n",
     "FILE:5:2: '1' after atom 1, the last according to line 2 (only blank lines may follow)"},
    {"TrailingText", "title\n1\n10\n0 0 0 0\n\n\nend\n",
     "FILE:7:1: 'end' after atom 1, the last according to line 2 (only blank lines may follow)"},
    {"BlankLineBetweenAtoms", "title\n2\n10\n0.0 0.0 0.0 0.0\n\n1 1 1 1\n",
     "FILE:5:1: blank line (atom 2 of 2 is expected)"},
    {"NoY", "title\n1\n10\n0.000000\n", "FILE:4:9: atom 1 has no y (give 4 numbers: x y z q)"},
    {"NoCharge", "title\n2\n10\n0 0 0 0\n1.00 1.00 1.00\n",
     "FILE:5:15: atom 2 has no charge (give 4 numbers: x y z q)"},
    {"FiveNumbers", "title\n1\n10\n0 0 0 0 5\n", "FILE:4:9: '5' after the charge of atom 1 (give 4 numbers: x y z q)"},
    {"CoordinateIsAWord", "title\n1\n10\n0 oxygen 0 0\n",
     "FILE:4:3: y is 'oxygen', not a number (expected: a decimal number such as -1.25e-3)"},
    {"CoordinateWithTrailingLetter", "title\n1\n10\n0 0 1.5x 0\n",
     "FILE:4:5: z is '1.5x', not a number (expected: a decimal number such as -1.25e-3)"},
    {"CoordinateIsNaN", "title\n1\n10\n0 0 NaN 0\n",
     "FILE:4:5: z is 'NaN', not finite (expected: a decimal number such as -1.25e-3)"},
    {"CoordinateIsInfinite", "title\n1\n10\n-infinity 0 0 0\n",
     "FILE:4:1: x is '-infinity', not finite (expected: a decimal number such as -1.25e-3)"},
    {"CoordinateOverflows", "title\n1\n10\n1e999 0 0 0\n",
     "FILE:4:1: x is '1e999', beyond double precision (at most 1.8e308)"},
    {"ChargeIsTwoSigns", "title\n1\n10\n0 0 0 +-1\n",
     "FILE:4:7: the charge is '+-1', not a number (expected: a decimal number such as -1.25e-3)"},
    {"DecimalComma", "title\n1\n10\n0,5 0 0 0\n",
     "FILE:4:1: x is '0,5', not a number (expected: a decimal number such as -1.25e-3)"},
    {"FortranExponent", "title\r\n1\r\n10\r\n1.0D+00 0 0 0\r\n",
     "FILE:4:1: x is '1.0D+00', not a number (expected: a decimal number such as -1.25e-3)"},
    {"ControlCharactersAreNotPrinted", "title\n1\n10\n\x1b[31m 0 0 0\n",
     "FILE:4:1: x is '?[31m', not a number (expected: a decimal number such as -1.25e-3)"},
    {"LongWordIsCut", "title\n1\n10\n0 0 0 abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz\n",
     "FILE:4:7: the charge is 'abcdefghijklmnopqrstuvwxyzabcdefghijklmn...', not a number (expected: a decimal number "
     "such as -1.25e-3)"},
};

class BadDroplet : public testing::TestWithParam<BadFile> {};

TEST_P(BadDroplet, GivesItsMessage) { EXPECT_EQ(kDroplet.message(GetParam().text), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(Table, BadDroplet, testing::ValuesIn(kBadDroplets), bad_file_name);

}  // namespace
}  // namespace dropmd

#include "inputs/structures/extended_xyz.h"
#include "tests/inputs/structure_format.h"

namespace dropmd {
namespace {

constexpr StructureFormat kXyz{"a.xyz", read_extended_xyz};

const BadFile kBadXyz[] = {
    {"Empty", "", "FILE:1:1: the file is empty (an XYZ file is expected)"},
    {"OnlyBlankLines", "\n \n", "FILE:1:1: only blank lines (the number of atoms of a frame is expected)"},
    {"CountIsAWord", "Ar\n\nAr 0 0 0\n",
     "FILE:1:1: the number of atoms is 'Ar', no whole number (digits only, such as 4139)"},
    {"CountIsZero", "0\n\n", "FILE:1:1: the number of atoms is 0 (at least 1)"},
    {"WordAfterCount", "1 atom\n\nAr 0 0 0\n", "FILE:1:3: 'atom' after the number of atoms (it stands alone)"},
    {"FewerAtoms", "3\n\nAr 0 0 0\nAr 1 1 1\n",
     "FILE:5:1: the file ends after 2 of 3 atoms (the number stands on line 1)"},
    {"HugeCount", "18446744073709551615\n\nAr 0 0 0\n",
     "FILE:4:1: the file ends after 1 of 18446744073709551615 atoms (the number stands on line 1)"},
    {"NoComment", "2\n", "FILE:2:1: the file ends after 0 of 2 atoms (the number stands on line 1)"},
    {"MoreAtoms", "1\n\nAr 0 0 0\nAr 1 1 1\n",
     "FILE:4:1: 'Ar' after atom 1, the last of its frame (only a next frame may follow)"},
    {"BlankLineBetweenFrames", "1\n\nAr 0 0 0\n\n1\n\nAr 0 0 0\n",
     "FILE:4:1: blank line (the number of atoms of a frame is expected)"},
    {"BlankLineBetweenAtoms", "2\n\n\nAr 0 0 0\n", "FILE:3:1: blank line (atom 1 is expected)"},
    {"ThreeColumns", "1\n\nAr 0 0\n", "FILE:3:7: atom 1 ends before its pos is complete (columns: species pos[3])"},
    {"ExtraColumnInPlainXyz", "1\n\nAr 0 0 0 0.5\n",
     "FILE:3:10: '0.5' after the last column of atom 1 (columns: species pos[3])"},
    {"CoordinateIsAWord", "1\n\nAr 0 x 0\n", "FILE:3:6: pos is 'x', no number (a decimal number such as -1.25e-3)"},
    {"CoordinateIsNaN", "1\n\nAr 0 0 nan\n", "FILE:3:8: pos is 'nan', not finite (a decimal number such as -1.25e-3)"},
    {"CoordinateOverflows", "1\n\nAr 0 -2e308 0\n",
     "FILE:3:6: pos is '-2e308', beyond double precision (at most 1.8e308)"},
    {"LatticeAlone", "1\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3\nAr 0 0 0\n",
     "FILE:2:1: a lattice without pbc means periodic boundaries (dropmd has open boundaries: write pbc=\"F F F\")"},
    {"LatticeWithPeriodicDirection",
     "1\nProperties=species:S:1:pos:R:3 Lattice=\"9 0 0 0 9 0 0 0 9\" pbc=\"F F T\"\nAr 0 0 0\n",
     "FILE:2:64: periodic boundaries (dropmd has open boundaries: write pbc=\"F F F\")"},
    {"PbcWithTwoFlags", "1\nProperties=species:S:1:pos:R:3 pbc=\"F F\"\nAr 0 0 0\n",
     "FILE:2:36: pbc has 2 flags (3: pbc=\"F F F\")"},
    {"PbcWithAnotherWord", "1\nProperties=species:S:1:pos:R:3 pbc=\"F F x\"\nAr 0 0 0\n",
     "FILE:2:36: 'x' in pbc is neither T nor F (pbc=\"F F F\")"},
    {"OpenQuote", "1\nProperties=species:S:1:pos:R:3 title=\"no end\nAr 0 0 0\n",
     "FILE:2:38: a value is not closed (it ends with \")"},
    {"QuoteThatIsEscapedAtTheEnd", "1\nProperties=species:S:1:pos:R:3 title=\"no end\\\"\nAr 0 0 0\n",
     "FILE:2:38: a value is not closed (it ends with \")"},
    {"TimeIsAWord", "1\nProperties=species:S:1:pos:R:3 Time=noon\nAr 0 0 0\n",
     "FILE:2:37: Time is 'noon', no number (a decimal number such as -1.25e-3)"},
    {"TimeTwice", "1\nProperties=species:S:1:pos:R:3 Time=1 time=2\nAr 0 0 0\n",
     "FILE:2:39: 'time' is given twice (once is enough)"},
    {"RadiusIsNegative", "1\nProperties=species:S:1:pos:R:3 radius=-2\nAr 0 0 0\n",
     "FILE:2:39: the radius is -2 (it must be greater than 0)"},
    {"PropertiesNoTriples", "1\nProperties=species:S:1:pos:R\nAr 0 0 0\n",
     "FILE:2:12: Properties has 5 fields, no multiple of 3 (name:type:count for each property)"},
    {"PropertiesEmpty", "1\nProperties=\nAr 0 0 0\n",
     "FILE:2:12: Properties has 1 fields, no multiple of 3 (name:type:count for each property)"},
    {"PropertyWithoutName", "1\nProperties=:S:1:pos:R:3\nAr 0 0 0\n",
     "FILE:2:12: a property without a name (name:type:count)"},
    {"PropertyOfUnknownType", "1\nProperties=species:S:1:pos:D:3\nAr 0 0 0\n",
     "FILE:2:28: 'D' is no type of a property (R, I, S or L)"},
    {"PropertyWithoutColumns", "1\nProperties=species:S:1:pos:R:3:tag:I:0\nAr 0 0 0\n",
     "FILE:2:38: '0' is no number of columns (a whole number of at least 1)"},
    {"PropertyWithHugeCount", "1\nProperties=species:S:1:pos:R:3:tag:I:99999999\nAr 0 0 0\n",
     "FILE:2:38: '99999999' is no number of columns (a whole number of at least 1)"},
    {"PositionsOfTwoComponents", "1\nProperties=species:S:1:pos:R:2\nAr 0 0\n",
     "FILE:2:24: property pos:R:2 (expected: pos:R:3)"},
    {"ChargeIsText", "1\nProperties=species:S:1:pos:R:3:charge:S:1\nAr 0 0 0 +\n",
     "FILE:2:32: property charge:S:1 (expected: charge:R:1)"},
    {"NoPositions", "1\nProperties=species:S:1:velo:R:3\nAr 0 0 0\n",
     "FILE:2:12: Properties has no positions (pos:R:3)"},
    {"ColumnTwice", "1\nProperties=pos:R:3:velo:R:3:velo:R:3\n0 0 0 0 0 0 0 0 0\n",
     "FILE:2:29: the column 'velo' is given twice (once is enough)"},
    {"VelocitiesThatContradict", "1\nProperties=pos:R:3:velo:R:3:vel:R:3\n0 0 0 1 2 3 1 2.5 3\n",
     "FILE:3:15: atom 1 has 2.5 in 'vel', but 2 in another column that means the same (keep one of them)"},
    {"ChargesThatContradict", "1\nProperties=pos:R:3:charge:R:1:initial_charges:R:1\n0 0 0 1 -1\n",
     "FILE:3:9: atom 1 has -1 in 'initial_charges', but 1 in another column that means the same (keep one of them)"},
    {"SpeciesThatContradict", "1\nProperties=species:S:1:element:S:1:pos:R:3\nOW O 0 0 0\n",
     "FILE:3:4: atom 1 is O in 'element', but OW in another column that means the same (keep one of them)"},
    {"CutInTheLastNumber", "1\n\nAr 0 0 1.5",
     "FILE:3:11: the file ends without a line end, perhaps within a number (end the line if it is complete)"},
    {"UnitsOfAnotherProgram", "1\nProperties=species:S:1:pos:R:3 units=metal\nAr 0 0 0\n",
     "FILE:2:38: units 'metal' (real or lj; convert numbers in other units first)"},
    {"MassIsNegative", "1\nProperties=species:S:1:pos:R:3:mass:R:1\nAr 0 0 0 -1\n",
     "FILE:3:10: the mass of atom 1 is -1 (it must be greater than 0; 0 for virtual sites)"},
    {"LineEndsInVelocity", "1\nProperties=species:S:1:pos:R:3:vel:R:3\nAr 0 0 0 1 1\n",
     "FILE:3:13: atom 1 ends before its vel is complete (columns: species pos[3] vel[3])"},
};

class BadXyz : public testing::TestWithParam<BadFile> {};

TEST_P(BadXyz, GivesItsMessage) { EXPECT_EQ(kXyz.message(GetParam().text), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(Table, BadXyz, testing::ValuesIn(kBadXyz), bad_file_name);

}  // namespace
}  // namespace dropmd

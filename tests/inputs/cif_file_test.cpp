#include "inputs/structures/cif_file.h"

#include <gmock/gmock.h>

#include "tests/inputs/structure_format.h"

namespace dropmd {
namespace {

using testing::ElementsAre, testing::HasSubstr;

constexpr StructureFormat kCif{"a.cif", read_cif_file};

TEST(CifFile, AtomsOfALoop) {
  const Structure structure = kCif.read(
      "data_1ABC\n# a comment\n_struct.title 'it''s water' _struct.other\n;two\nlines\n;\n"
      "loop_\n_atom_site.group_PDB\n_atom_site.id\n_atom_site.type_symbol\n_atom_site.label_atom_id\n"
      "_atom_site.auth_atom_id\n_atom_site.label_alt_id\n_atom_site.label_comp_id\n_atom_site.label_seq_id\n"
      "_atom_site.auth_seq_id\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n"
      "_atom_site.pdbx_PDB_model_num\n"
      "ATOM 1 O \"O5'\" ? . HOH . 7 1.5 -2 3.25(4) 1\n"
      "HETATM 2 NA NA NA+ . NA 9 . 4 5\n6 1\n"
      "#\n");
  EXPECT_EQ(structure.title, "it''s water");
  EXPECT_EQ(structure.units, UnitSystem::real);
  EXPECT_EQ(structure.position, (Vectors{{1.5, -2, 3.25}, {4, 5, 6}}));
  EXPECT_EQ(structure.species_names, (Names{"O", "Na"}));
  EXPECT_EQ(structure.atom_name, (Names{"O5'", "NA+"}));
  EXPECT_EQ(structure.residue_name, (Names{"HOH", "NA"}));
  EXPECT_EQ(structure.residue_number, (std::vector<std::int32_t>{7, 9}));
  EXPECT_EQ(structure.place_of_atom(1).line, 22U);
  EXPECT_TRUE(structure.warnings.empty());
}

TEST(CifFile, OneAtomWithoutALoop) {
  const Structure structure = kCif.read(
      "DATA_x\n_atom_site.cartn_x 1\n_atom_site.Cartn_y 2\n_atom_site.Cartn_z 3\n_atom_site.label_atom_id Q1\n"
      "_other.item 1\n");
  EXPECT_EQ(structure.position, (Vectors{{1, 2, 3}}));
  EXPECT_EQ(structure.species_names, Names{"Q1"}) << "without a symbol the name";
  EXPECT_EQ(structure.residue_number, std::vector<std::int32_t>{0});
}

constexpr std::string_view kLoop =
    "data_x\nloop_\n_atom_site.label_atom_id\n_atom_site.label_alt_id\n_atom_site.auth_seq_id\n_atom_site.Cartn_x\n"
    "_atom_site.Cartn_y\n_atom_site.Cartn_z\n_atom_site.pdbx_PDB_model_num\n";

std::string with_rows(std::string_view rows) { return std::string(kLoop) + std::string(rows); }

TEST(CifFile, FirstModelIsRead) {
  const Structure structure = kCif.read(with_rows("A . 1 0 0 1 1\nB . 1 0 0 2 2\nC . 1 0 0 3 1\n"));
  EXPECT_EQ(structure.atom_name, (Names{"A", "C"}));
  EXPECT_THAT(structure.warnings, ElementsAre(HasSubstr("a.cif:11:1: the first model is read, other models are not")));
}

TEST(CifFile, FirstBlockWithAtomsIsRead) {
  const Structure structure = kCif.read("data_empty _a.b c " + with_rows("A . 1 0 0 1 1\ndata_next _atom_site.id 7\n"));
  EXPECT_EQ(structure.position.size(), 1U);
  EXPECT_THAT(structure.warnings,
              ElementsAre(HasSubstr("a.cif:11:1: the first block with atoms is read, what follows is not")));
}

TEST(CifFile, ACellIsIgnoredWithAWarning) {
  EXPECT_TRUE(kCif.read(with_rows("A . 1 0 0 1 1\n_cell.length_a 1.000\n")).warnings.empty());
  EXPECT_TRUE(kCif.read(with_rows("A . 1 0 0 1 1\n_cell.length_a ?\n")).warnings.empty());
  const Names warnings = kCif.read(with_rows("A . 1 0 0 1 1\n_cell.length_a 30.000\n")).warnings;
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("a.cif:11:1: the unit cell is ignored, as boundaries are open")));
}

const BadFile kBadCif[] = {
    {"Empty", "", "FILE:1:1: the file is empty (an mmCIF file is expected)"},
    {"NoBlock", "ATOM 1\n", "FILE:1:1: 'ATOM' at the start (an mmCIF file begins with data_NAME)"},
    {"NoAtoms", "data_x\n_cell.length_a 30\n", "FILE:3:1: the file has no atoms (expected: the category _atom_site)"},
    {"OpenQuote", "data_x\n_struct.title 'no end\n",
     "FILE:2:15: a value in quotes is not closed (it ends with ' on its line)"},
    {"OpenTextField", "data_x\n_struct.title\n;no end\n",
     "FILE:3:1: a text field is not closed (a line that begins with ; ends it)"},
    {"LoopWithoutItems", "data_x\nloop_\n1 2 3\n",
     "FILE:2:1: loop_ without items (names such as _atom_site.id must follow it)"},
    {"ValueOfNothing", "data_x\n_a.b 1 2\n",
     "FILE:2:8: the value '2' belongs to no item (expected: _category.item VALUE, or loop_)"},
    {"ItemWithoutValue", "data_x\n_a.b\n_a.c 1\n", "FILE:3:1: the item _a.b has no value"},
    {"RowIsCutOff",
     "data_x\nloop_\n_atom_site.label_atom_id\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\nO 1 2\n",
     "FILE:8:1: the last row of the loop at line 2 has 3 of 4 values"},
    {"NoCoordinates", "data_x\nloop_\n_atom_site.label_atom_id\n_atom_site.Cartn_x\nO 1\n",
     "FILE:3:1: the atoms have no _atom_site.Cartn_y (give it in A)"},
    {"NoNames", "data_x\nloop_\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n1 2 3\n",
     "FILE:3:1: the atoms have no names (give the item _atom_site.label_atom_id)"},
    {"ItemTwice", "data_x\nloop_\n_atom_site.Cartn_x\n_atom_site.Cartn_x\n1 2 3\n",
     "FILE:4:1: _atom_site.Cartn_x is given twice"},
    {"CoordinateIsUnknown",
     "data_x\nloop_\n_atom_site.label_atom_id\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\nO 1 2 ?\n",
     "FILE:7:7: Cartn_z is '?', not a number (expected: a decimal number such as -1.25e-3)"},
    {"FractionalCoordinates", "data_x\nloop_\n_atom_site_label\n_atom_site_fract_x\nO 0.5\n",
     "FILE:6:1: the atoms have fractional coordinates of a crystal's cell (give _atom_site.Cartn_x, _y and _z, in A)"},
};

class BadCif : public testing::TestWithParam<BadFile> {};

TEST_P(BadCif, GivesItsMessage) { EXPECT_EQ(kCif.message(GetParam().text), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(Table, BadCif, testing::ValuesIn(kBadCif), bad_file_name);

TEST(BadCifRows, GiveTheirMessages) {
  const auto message = [](std::string_view rows) { return kCif.message(with_rows(rows)); };
  EXPECT_EQ(message("CA A 1 0 0 1 1\n"),
            "FILE:10:4: atom 1, CA, has the alternate location 'A' (keep one location of each atom, with . for "
            "label_alt_id)");
  EXPECT_EQ(message("CA . x 0 0 1 1\n"), "FILE:10:6: the residue number is 'x', not a whole number");
  EXPECT_EQ(message(". . 1 0 0 1 1\n"), "FILE:10:1: atom 1 has no name (_atom_site.label_atom_id)");
  EXPECT_EQ(message("CA . 1 0 1e999 1 1\n"),
            "FILE:10:10: Cartn_y is '1e999', beyond double precision (at most 1.8e308)");
}

}  // namespace
}  // namespace dropmd

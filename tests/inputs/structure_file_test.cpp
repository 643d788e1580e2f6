#include "inputs/structures/structure_file.h"

#include "tests/inputs/bad_files.h"

namespace dropmd {
namespace {

TEST(StructureFile, FormatByExtension) {
  const TempFolder folder;
  EXPECT_EQ(read_structure_file(folder.write("a.drop", "t\n1\n9\n1 2 3 4\n")).radius, 9);
  EXPECT_EQ(read_structure_file(folder.write("a.xyz", "1\nt\nAr 1 2 3\n")).title, "t");
  EXPECT_EQ(read_structure_file(folder.write("a.extxyz", "1\nt\nAr 1 2 3\n")).title, "t");
  EXPECT_EQ(read_structure_file(folder.write("a.gro", "t\n1\n    1SOL     OW    1   0.1   0.2   0.3\n0 0 0\n")).title,
            "t");
  for (const char* const name : {"a.pdb", "a.ent"})
    EXPECT_EQ(read_structure_file(folder.write(name, "ATOM      1  OW  HOH A   1       1.000   2.000   3.000\n")).title,
              "");
  for (const char* const name : {"a.cif", "a.mmcif"})
    EXPECT_EQ(read_structure_file(folder.write(name,
                                               "data_x\n_atom_site.label_atom_id O\n_atom_site.Cartn_x 1\n"
                                               "_atom_site.Cartn_y 2\n_atom_site.Cartn_z 3\n"))
                  .atom_name,
              std::vector<std::string>{"O"});
}

TEST(StructureFile, UnknownExtensionNamesTheKnownOnes) {
  EXPECT_EQ(message_for_text("a.mol2", "ATOM\n", read_structure_file),
            "FILE: no structure format has the extension '.mol2' (known: .drop, .xyz, .extxyz, .gro, .pdb, .ent, .cif, "
            ".mmcif)");
  EXPECT_EQ(
      message_for_text("plain", "t\n", read_structure_file),
      "FILE: no structure format has the extension '' (known: .drop, .xyz, .extxyz, .gro, .pdb, .ent, .cif, .mmcif)");
}

TEST(StructureFile, HasStructureFormat) {
  EXPECT_TRUE(has_structure_format("dir/a.drop"));
  EXPECT_TRUE(has_structure_format("a.b.xyz"));
  EXPECT_FALSE(has_structure_format("a.toml"));
  EXPECT_FALSE(has_structure_format(".drop"));
}

}  // namespace
}  // namespace dropmd

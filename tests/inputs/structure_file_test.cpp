#include "inputs/structures/structure_file.h"

#include "tests/inputs/bad_files.h"

namespace dropmd {
namespace {

TEST(StructureFile, FormatByExtension) {
  const TempFolder folder;
  EXPECT_EQ(read_structure_file(folder.write("a.drop", "t\n1\n9\n1 2 3 4\n")).radius, 9);
  EXPECT_EQ(read_structure_file(folder.write("a.xyz", "1\nt\nAr 1 2 3\n")).title, "t");
  EXPECT_EQ(read_structure_file(folder.write("a.extxyz", "1\nt\nAr 1 2 3\n")).title, "t");
}

TEST(StructureFile, UnknownExtensionNamesTheKnownOnes) {
  EXPECT_EQ(message_for_text("a.pdb", "ATOM\n", read_structure_file),
            "FILE: no structure format has the extension '.pdb' (known: .drop, .xyz, .extxyz)");
  EXPECT_EQ(message_for_text("plain", "t\n", read_structure_file),
            "FILE: no structure format has the extension '' (known: .drop, .xyz, .extxyz)");
}

TEST(StructureFile, HasStructureFormat) {
  EXPECT_TRUE(has_structure_format("dir/a.drop"));
  EXPECT_TRUE(has_structure_format("a.b.xyz"));
  EXPECT_FALSE(has_structure_format("a.toml"));
  EXPECT_FALSE(has_structure_format(".drop"));
}

}  // namespace
}  // namespace dropmd

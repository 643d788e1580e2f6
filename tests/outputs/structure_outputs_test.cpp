#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <sstream>

#include "outputs/structures/droplet_file.h"
#include "outputs/structures/extended_xyz.h"
#include "outputs/structures/structure_file.h"
#include "tests/outputs/file_size_limit.h"
#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;

Particles two_atoms() {
  Particles particles;
  particles.position = {{0.1, -1.0 / 3.0, 1e-300}, {1.5, 2.0, -3.0}};
  particles.velocity = {{0.25, 0.0, -1.0 / 7.0}, {0.0, 1e22, 0.0}};
  particles.mass = {22.99, 35.45};
  particles.charge = {1.0, -1.0};
  particles.species = {1, 0};
  particles.species_names = {"Cl", "Na"};
  return particles;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

double number(const std::string& word) { return std::strtod(word.c_str(), nullptr); }

TEST(ExtendedXyzWriter, FrameText) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.xyz";
  Particles particles = two_atoms();
  particles.position[0] = {0.1, -0.5, 1e-9};
  particles.velocity[0] = {0.25, 0.0, -0.125};
  FileWriter writer(path, false);
  write_frame(writer, particles, &kLjUnits, {.step = 100, .time = 50.5, .radius = 12.5});
  EXPECT_EQ(read_text(path),
            "2\n"
            "Properties=species:S:1:pos:R:3:velo:R:3:Charge:R:1:mass:R:1:momenta:R:3:initial_charges:R:1:masses:R:1 "
            "pbc=\"F F F\" Time=50.5 step=100 units=lj radius=12.5\n"
            "Na 0.1 -0.5 1e-09 0.25 0 -0.125 1 22.99 5.7475 0 -2.87375 1 22.99\n"
            "Cl 1.5 2 -3 0 1e+22 0 -1 35.45 0 3.545e+23 0 -1 35.45\n");
}

/// In a run that atoms leave, ids are the last column, and the other columns stay the same.
TEST(ExtendedXyzWriter, IdsWhereTheyAreWanted) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.xyz";
  Particles particles = two_atoms();
  particles.velocity.clear();
  particles.mass.clear();
  particles.charge.clear();
  particles.position[0] = {0, 1, 2};
  FileWriter writer(path, false);
  write_frame(writer, particles, nullptr, {.ids = true});
  particles.id = {4, 17};
  write_frame(writer, particles, nullptr, {.ids = true});
  EXPECT_EQ(read_text(path),
            "2\nProperties=species:S:1:pos:R:3:id:I:1 pbc=\"F F F\"\nNa 0 1 2 1\nCl 1.5 2 -3 2\n"
            "2\nProperties=species:S:1:pos:R:3:id:I:1 pbc=\"F F F\"\nNa 0 1 2 4\nCl 1.5 2 -3 17\n");
}

/// u Å over Å sqrt(u/eV) = 10.1805 fs: 22.99 times 0.25 Å/fs is 58.5125...
TEST(ExtendedXyzWriter, MomentaAreInTheUnitsOfAse) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.xyz";
  FileWriter writer(path, false);
  write_frame(writer, two_atoms(), &kRealUnits, {});
  const std::vector<std::string> words = words_of(lines_of(read_text(path)).at(2));
  ASSERT_EQ(words.size(), 14U);
  EXPECT_NEAR(number(words[9]), 22.99 * 0.25 * 10.180505671156725, 5e-8 * 58) << "nine digits";
}

TEST(ExtendedXyzWriter, WhatIsNotKnownIsLeftOut) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.xyz";
  Particles particles = two_atoms();
  particles.position[0] = {0, 1, 2};
  particles.velocity.clear();
  particles.mass.clear();
  FileWriter writer(path, false);
  write_frame(writer, particles, nullptr, {});
  particles.charge.clear();
  write_frame(writer, particles, nullptr, {});
  EXPECT_EQ(read_text(path),
            "2\nProperties=species:S:1:pos:R:3:Charge:R:1:initial_charges:R:1 pbc=\"F F F\"\n"
            "Na 0 1 2 1 1\nCl 1.5 2 -3 -1 -1\n"
            "2\nProperties=species:S:1:pos:R:3 pbc=\"F F F\"\nNa 0 1 2\nCl 1.5 2 -3\n");
}

TEST(ExtendedXyzWriter, NumbersParseBackToTheSameBits) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.xyz";
  const Particles particles = two_atoms();
  FileWriter writer(path, false);
  write_frame(writer, particles, &kRealUnits, {});
  const std::vector<std::string> lines = lines_of(read_text(path));
  ASSERT_EQ(lines.size(), 4U);
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const std::vector<std::string> words = words_of(lines[i + 2]);
    ASSERT_EQ(words.size(), 14U);
    EXPECT_EQ((Vec3<double>{number(words[1]), number(words[2]), number(words[3])}), particles.position[i]);
    EXPECT_EQ((Vec3<double>{number(words[4]), number(words[5]), number(words[6])}), particles.velocity[i]);
    EXPECT_EQ(number(words[7]), particles.charge[i]);
    EXPECT_EQ(number(words[8]), particles.mass[i]);
  }
}

TEST(ExtendedXyzWriter, DiskThatFillsUpLeavesCompleteFrames) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.xyz";
  Particles many = two_atoms();
  for (std::size_t i = 0; i < 5000; ++i) {  // a frame larger than the writer's buffer
    many.position.push_back({static_cast<double>(i), 0.1, 0.2});
    many.velocity.push_back({});
    many.charge.push_back(0.5);
    many.mass.push_back(1);
    many.species.push_back(0);
  }
  FileWriter writer(path, false);
  write_frame(writer, many, &kRealUnits, {});
  const auto frame_bytes = fs::file_size(path);
  ASSERT_GT(frame_bytes, 100000U);
  const FileSizeLimit limit(2 * frame_bytes - 10);
  EXPECT_NE(output_error_of([&] { write_frame(writer, many, &kRealUnits, {}); }), "");
  EXPECT_EQ(fs::file_size(path), frame_bytes);
}

TEST(DropletWriter, FileText) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.drop";
  Particles particles = two_atoms();
  particles.position[0].z = 1e-9;
  FileWriter writer(path, false);
  write_droplet(writer, "two\r\natoms", 40, particles);
  EXPECT_EQ(read_text(path), "two  atoms\n2\n40\n0.1 -0.3333333333333333 1e-09 1\n1.5 2 -3 -1\n");
}

TEST(StructureFileWriter, FormatFollowsTheExtension) {
  const TempFolder folder;
  const Particles particles = two_atoms();
  const StructureView structure{.particles = particles, .units = &kRealUnits, .title = "pair", .radius = 9};
  write_structure_file(folder.path() / "a.drop", structure, false);
  write_structure_file(folder.path() / "a.xyz", structure, false);
  EXPECT_EQ(lines_of(read_text(folder.path() / "a.drop")).at(0), "pair");
  EXPECT_EQ(lines_of(read_text(folder.path() / "a.drop")).at(2), "9");
  const std::string comment = lines_of(read_text(folder.path() / "a.xyz")).at(1);
  EXPECT_NE(comment.find("Charge:R:1:mass:R:1"), std::string::npos) << comment;
  EXPECT_NE(comment.find("radius=9"), std::string::npos) << comment;
}

TEST(StructureFileWriter, DropletWithoutRadiusEnclosesItsAtoms) {
  const TempFolder folder;
  Particles particles = two_atoms();
  particles.position = {{3, 4, 0}, {0, 0, 1}};
  write_structure_file(folder.path() / "a.drop", {.particles = particles, .units = &kRealUnits}, false);
  EXPECT_EQ(lines_of(read_text(folder.path() / "a.drop")).at(2), "5");
}

TEST(StructureFileWriter, SaysWhatAFormatDrops) {
  EXPECT_EQ(structure_format_drops("a.drop"), "velocities, masses and species");
  EXPECT_EQ(structure_format_drops("a.xyz"), "");
  EXPECT_EQ(structure_format_drops("a.gro"), "charges and masses");
}

TEST(StructureFileWriter, ADropletWithoutChargesGetsZeros) {
  const TempFolder folder;
  Particles particles = two_atoms();
  particles.charge.clear();
  write_structure_file(folder.path() / "a.drop", {.particles = particles, .radius = 9}, false);
  EXPECT_EQ(lines_of(read_text(folder.path() / "a.drop")).at(4), "1.5 2 -3 0");
}

TEST(StructureFileWriter, UnknownExtensionIsAnErrorWithTheKnownOnes) {
  EXPECT_EQ(output_error_of([] { require_structure_format("out/final.pdb"); }),
            "out/final.pdb: no structure format for this name (it must end in .drop, .xyz or .gro)");
  EXPECT_NO_THROW(require_structure_format("final.xyz"));
}

TEST(StructureFileWriter, ExistingFileIsRefused) {
  const TempFolder folder;
  const fs::path path = folder.write("a.drop", "old");
  const Particles particles = two_atoms();
  const StructureView structure{.particles = particles, .units = &kRealUnits};
  EXPECT_NE(output_error_of([&] { write_structure_file(path, structure, false); }).find("use --force"),
            std::string::npos);
  EXPECT_EQ(read_text(path), "old");
  write_structure_file(path, structure, true);
  EXPECT_NE(read_text(path), "old");
}

}  // namespace
}  // namespace dropmd

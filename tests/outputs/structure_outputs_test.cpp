#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <sstream>

#include "outputs/droplet_file.h"
#include "outputs/extended_xyz.h"
#include "outputs/structure_file.h"
#include "tests/outputs/file_size_limit.h"
#include "tests/outputs/output_files.h"
#include "tests/support/temp_folder.h"

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
  write_frame(writer, particles, kRealUnits, {.step = 100, .time = 50.5});
  EXPECT_EQ(read_text(path),
            "2\n"
            "Properties=species:S:1:pos:R:3:velocity:R:3:charge:R:1 pbc=\"F F F\" Time=50.5 step=100 units=real\n"
            "Na 0.1 -0.5 1e-09 0.25 0 -0.125 1\n"
            "Cl 1.5 2 -3 0 1e+22 0 -1\n");
}

TEST(ExtendedXyzWriter, MassAndRadiusWhenAskedFor) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.xyz";
  FileWriter writer(path, false);
  write_frame(writer, two_atoms(), kLjUnits, {.step = 0, .time = 0, .radius = 12.5, .masses = true});
  const std::vector<std::string> lines = lines_of(read_text(path));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[1],
            "Properties=species:S:1:pos:R:3:velocity:R:3:charge:R:1:mass:R:1 pbc=\"F F F\" Time=0 step=0 units=lj "
            "radius=12.5");
  EXPECT_EQ(words_of(lines[2]).back(), "22.99");
}

TEST(ExtendedXyzWriter, NumbersParseBackToTheSameBits) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.xyz";
  const Particles particles = two_atoms();
  FileWriter writer(path, false);
  write_frame(writer, particles, kRealUnits, {});
  const std::vector<std::string> lines = lines_of(read_text(path));
  ASSERT_EQ(lines.size(), 4U);
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const std::vector<std::string> words = words_of(lines[i + 2]);
    ASSERT_EQ(words.size(), 8U);
    EXPECT_EQ((Vec3<double>{number(words[1]), number(words[2]), number(words[3])}), particles.position[i]);
    EXPECT_EQ((Vec3<double>{number(words[4]), number(words[5]), number(words[6])}), particles.velocity[i]);
    EXPECT_EQ(number(words[7]), particles.charge[i]);
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
    many.species.push_back(0);
  }
  FileWriter writer(path, false);
  write_frame(writer, many, kRealUnits, {});
  const auto frame_bytes = fs::file_size(path);
  ASSERT_GT(frame_bytes, 100000U);
  const FileSizeLimit limit(2 * frame_bytes - 10);
  EXPECT_NE(output_error_of([&] { write_frame(writer, many, kRealUnits, {}); }), "");
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
  const StructureView structure{.particles = particles, .units = kRealUnits, .title = "pair", .radius = 9};
  write_structure_file(folder.path() / "a.drop", structure, false);
  write_structure_file(folder.path() / "a.xyz", structure, false);
  EXPECT_EQ(lines_of(read_text(folder.path() / "a.drop")).at(0), "pair");
  EXPECT_EQ(lines_of(read_text(folder.path() / "a.drop")).at(2), "9");
  const std::string comment = lines_of(read_text(folder.path() / "a.xyz")).at(1);
  EXPECT_NE(comment.find("charge:R:1:mass:R:1"), std::string::npos) << comment;
  EXPECT_NE(comment.find("radius=9"), std::string::npos) << comment;
}

TEST(StructureFileWriter, DropletWithoutRadiusEnclosesItsAtoms) {
  const TempFolder folder;
  Particles particles = two_atoms();
  particles.position = {{3, 4, 0}, {0, 0, 1}};
  write_structure_file(folder.path() / "a.drop", {.particles = particles, .units = kRealUnits}, false);
  EXPECT_EQ(lines_of(read_text(folder.path() / "a.drop")).at(2), "5");
}

TEST(StructureFileWriter, UnknownExtensionIsAnErrorWithTheKnownOnes) {
  EXPECT_EQ(output_error_of([] { require_structure_format("out/final.pdb"); }),
            "out/final.pdb: no structure format for this name (it must end in .drop or .xyz)");
  EXPECT_NO_THROW(require_structure_format("final.xyz"));
}

TEST(StructureFileWriter, ExistingFileIsRefused) {
  const TempFolder folder;
  const fs::path path = folder.write("a.drop", "old");
  const Particles particles = two_atoms();
  const StructureView structure{.particles = particles, .units = kRealUnits};
  EXPECT_NE(output_error_of([&] { write_structure_file(path, structure, false); }).find("use --force"),
            std::string::npos);
  EXPECT_EQ(read_text(path), "old");
  write_structure_file(path, structure, true);
  EXPECT_NE(read_text(path), "old");
}

}  // namespace
}  // namespace dropmd

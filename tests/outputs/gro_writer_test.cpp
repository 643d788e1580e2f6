#include <gtest/gtest.h>

#include "inputs/structures/gro_file.h"
#include "inputs/structures/reduced_units.h"
#include "outputs/structures/gro_file.h"
#include "outputs/structures/structure_file.h"
#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;

Particles three_atoms() {
  Particles particles;
  particles.position = {{1.26, 16.24, -16.79}, {1.90, -0.00001, 0}, {0.123456, 1, 2}};
  particles.velocity = {{0.001227, -0.00058, 0.000434}, {0, 1e-9, 0}, {1, 2, -0.3}};
  particles.species = {0, 1, 1};
  particles.species_names = {"O", "H"};
  return particles;
}

const AtomNames kNames{{"OW", "HW1", "HW2longer"}, {"SOL", "SOL", "SOL"}, {1, 1, 100002}};

TEST(GroWriter, FileText) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.gro";
  FileWriter writer(path, false);
  write_gro(writer, {.text = "water\r\n1", .time = 2500, .step = 7}, &kRealUnits, three_atoms(), &kNames);
  EXPECT_EQ(read_text(path),
            "water  1 t= 2.50000 step= 7\n"
            "    3\n"
            "    1SOL     OW    1   0.126000   1.624000  -1.679000  0.1227000 -0.0580000  0.0434000\n"
            "    1SOL    HW1    2   0.190000  -0.000001   0.000000  0.0000000  0.0000001  0.0000000\n"
            "    2SOL  HW2lo    3   0.012346   0.100000   0.2000001"
            "00.0000000200.0000000-30.0000000\n"
            "   0.00000   0.00000   0.00000\n");
}

/// Numbers in units lj are written as they are, and the title says so, whatever stands in it.
TEST(GroWriter, UnitsLj) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.gro";
  const Particles particles = three_atoms();
  for (const char* const title : {"argon", "argon units= lj t= 3.00000", ""}) {
    write_structure_file(
        path, {.particles = particles, .units = &kLjUnits, .title = title, .step = 7, .time = 2.5, .names = &kNames},
        true);
    const std::string text = read_text(path);
    EXPECT_EQ(text.substr(0, text.find('\n')),
              std::string(*title != 0 ? "argon " : "") + "units= lj t= 2.50000 step= 7");
    const Structure structure = read_gro_file(path);
    EXPECT_EQ(structure.units, UnitSystem::lj);
    EXPECT_EQ(structure.title, *title != 0 ? "argon" : "");
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LE(norm(structure.position[i] - particles.position[i]), 1e-6);
      EXPECT_LE(norm(structure.velocity[i] - particles.velocity[i]), 1e-7);
    }
  }
}

TEST(GroWriter, ATitleDoesNotMakeUnits) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.gro";
  const Particles particles = three_atoms();
  for (const char* const title : {"as with units= lj", "units= lj units= lj", "units= ljx", "xunits= lj"}) {
    write_structure_file(path, {.particles = particles, .units = &kRealUnits, .title = title, .names = &kNames}, true);
    const Structure structure = read_gro_file(path);
    EXPECT_EQ(structure.units, UnitSystem::real) << title;
    EXPECT_LE(norm(structure.position[0] - particles.position[0]), 1e-5) << title;
  }
}

TEST(GroReader, FindsTheUnitsOfTitles) {
  EXPECT_EQ(place_of_reduced_units("argon units= lj t= 1"), 6U);
  EXPECT_EQ(place_of_reduced_units("units= lj"), 0U);
  for (const char* const title : {"", "argon", "units= ljx", "xunits= lj", "units=lj", "units= real"})
    EXPECT_EQ(place_of_reduced_units(title), std::string_view::npos) << title;
}

TEST(GroWriter, MoreDecimals) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.gro";
  const Particles particles = three_atoms();
  write_structure_file(
      path, {.particles = particles, .units = &kRealUnits, .title = "t", .names = &kNames, .gro_decimals = 9}, true);
  EXPECT_NE(read_text(path).find("    1SOL     OW    1   0.126000000   1.624000000  -1.679000000  0.12270"),
            std::string::npos);
  const Structure structure = read_gro_file(path);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LE(norm(structure.position[i] - particles.position[i]), 1e-8);
}

/// Positions come back to 5e-6 Å, velocities to 5e-10 Å/fs, however far the atoms are.
TEST(GroWriter, RoundTrip) {
  const TempFolder folder;
  Particles particles = three_atoms();
  for (const double far : {1.0, -1e5, 1e8}) {
    particles.position[1].x = far;
    const fs::path path = folder.path() / "a.gro";
    write_structure_file(path, {.particles = particles, .units = &kRealUnits, .title = "t", .names = &kNames}, true);
    const Structure structure = read_gro_file(path);
    ASSERT_EQ(structure.position.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LE(norm(structure.position[i] - particles.position[i]), 1e-5);
      EXPECT_LE(norm(structure.velocity[i] - particles.velocity[i]), 1e-9);
    }
    EXPECT_EQ(structure.title, "t");
    EXPECT_EQ(structure.atom_name, (std::vector<std::string>{"OW", "HW1", "HW2lo"}));
    EXPECT_EQ(structure.residue_name, kNames.residue_name);
    EXPECT_EQ(structure.residue_number, (std::vector<std::int32_t>{1, 1, 2}));
    EXPECT_TRUE(structure.warnings.empty());
  }
}

TEST(GroWriter, AtomsThatAreLeftKeepTheirNames) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.gro";
  Particles particles = three_atoms();
  particles.velocity.clear();
  particles.position.resize(1);
  particles.species.resize(1);
  particles.id = {2};
  FileWriter writer(path, false);
  write_gro(writer, {}, nullptr, particles, &kNames);
  EXPECT_EQ(lines_of(read_text(path)).at(2), "    1SOL    HW1    2   0.126000   1.624000  -1.679000");
}

TEST(GroWriter, WithoutNamesThoseOfTheSpecies) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.gro";
  Particles particles = three_atoms();
  particles.velocity.clear();
  particles.position[1] = {1, -2, 3};
  write_structure_file(path, {.particles = particles, .units = &kLjUnits}, false);
  EXPECT_EQ(lines_of(read_text(path)).at(3), "    2H        H    2   1.000000  -2.000000   3.000000") << "in sigma";
}

}  // namespace
}  // namespace dropmd

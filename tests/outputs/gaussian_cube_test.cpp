#include "outputs/maps/gaussian_cube.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/outputs/map_samples.h"
#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

std::string cube_text(const PotentialMap& map, const MapAtoms& atoms) {
  const TempFolder folder;
  FileWriter writer(folder.path() / "a.cube", false);
  write_gaussian_cube(writer, map, atoms);
  writer.close();
  return read_text(folder.path() / "a.cube");
}

/// 1 Å = 1.8897261246 Bohr.
TEST(GaussianCube, FileText) {
  PotentialMap map = sample_map({1, 2, 7});
  map.potential.assign(14, -0.5);
  map.potential[map.grid.number(0, 0, 6)] = 1234567;
  const Particles ions = two_ions();
  EXPECT_EQ(cube_text(map, map_atoms_of(ions)),
            "potential in kcal/mol/e, lengths in Bohr: two ions, direct\n"
            "OUTER LOOP: X, MIDDLE LOOP: Y, INNER LOOP: Z\n"
            "    2   -5.858151    1.322808  -23.149145\n"
            "    1    0.944863    0.000000    0.000000\n"
            "    2    0.000000    0.472432    0.000000\n"
            "    7    0.000000    0.000000    0.629909\n"
            "   11    1.000000   -2.834589    0.000000    4.251884\n"
            "   17   -0.500000   18.897261   -0.236216    0.000000\n"
            " -5.00000E-01 -5.00000E-01 -5.00000E-01 -5.00000E-01 -5.00000E-01 -5.00000E-01\n"
            "  1.23457E+06\n"
            " -5.00000E-01 -5.00000E-01 -5.00000E-01 -5.00000E-01 -5.00000E-01 -5.00000E-01\n"
            " -5.00000E-01\n");
}

TEST(GaussianCube, LengthsInSigmaStayAsTheyAre) {
  PotentialMap map = sample_map({1, 1, 1});
  map.length = "sigma";
  const std::vector<std::string> lines = lines_of(cube_text(map, {}));
  EXPECT_EQ(lines.at(0), "potential in kcal/mol/e, lengths in sigma: two ions, direct");
  EXPECT_EQ(lines.at(2), "    1   -3.100000    0.700000  -12.250000");
  EXPECT_EQ(lines.at(3), "    1    0.500000    0.000000    0.000000");
}

/// VMD takes a file without atoms for a file of orbitals.
TEST(GaussianCube, MapWithoutAtomsHasOneOfNoElement) {
  const std::vector<std::string> lines = lines_of(cube_text(sample_map({1, 1, 1}), {}));
  EXPECT_EQ(lines.at(2).substr(0, 5), "    1");
  EXPECT_EQ(lines.at(6), "    0    0.000000   -5.858151    1.322808  -23.149145");
  EXPECT_EQ(lines.size(), 8U);
}

/// Positions that are too wide for their columns keep a space before them.
TEST(GaussianCube, FarAtomsAreSeparateWords) {
  Particles ions = two_ions();
  ions.position[0] = {-1e7, -1e7, -1e7};
  const std::vector<std::string> lines = lines_of(cube_text(sample_map({1, 1, 1}), map_atoms_of(ions)));
  EXPECT_EQ(lines.at(6), "   11    1.000000 -18897261.246258 -18897261.246258 -18897261.246258");
}

TEST(GaussianCube, OnlySymbolsOfElementsHaveNumbers) {
  Particles ions = two_ions();
  const auto number_of = [&](const std::string& name) {
    ions.species_names[1] = name;
    return std::stoi(lines_of(cube_text(sample_map({1, 1, 1}), map_atoms_of(ions))).at(6).substr(0, 5));
  };
  EXPECT_EQ(number_of("H"), 1);
  EXPECT_EQ(number_of("D"), 1);
  EXPECT_EQ(number_of("CL"), 17);
  EXPECT_EQ(number_of("Og"), 118);
  for (const char* const name : {"", "X", "A", "Na+", "H1", "1H", "C1", "OW1", "Argon"})
    EXPECT_EQ(number_of(name), 0) << name;
}

TEST(GaussianCube, ValuesWithZFastestAndALineForEachRow) {
  for (const Vec3<std::int32_t>& points : sample_points()) {
    const PotentialMap map = sample_map(points);
    const std::vector<std::string> lines = lines_of(cube_text(map, {}));
    std::size_t line = 7;
    for (std::int32_t i = 0; i < points.x; ++i)
      for (std::int32_t j = 0; j < points.y; ++j)
        for (std::int32_t begin = 0; begin < points.z; begin += 6) {
          std::istringstream values(lines.at(line++));
          for (std::int32_t k = begin; k < std::min(begin + 6, points.z); ++k) {
            const double expected = map.potential[map.grid.number(i, j, k)];
            double value = 0;
            values >> value;
            EXPECT_NEAR(value, expected, 5e-6 * std::abs(expected)) << "six digits";
          }
          std::string rest;
          EXPECT_FALSE(values >> rest) << rest;
        }
    EXPECT_EQ(line, lines.size());
  }
}

TEST(GaussianCube, CommentIsOneShortLine) {
  PotentialMap map = sample_map({1, 1, 1});
  map.title = "a\nb" + std::string(500, 'x');
  const std::vector<std::string> lines = lines_of(cube_text(map, {}));
  EXPECT_EQ(lines.at(0).size(), 80U);
  EXPECT_EQ(lines.at(0).substr(0, 49), "potential in kcal/mol/e, lengths in Bohr: a bxxxx");
}

}  // namespace
}  // namespace dropmd

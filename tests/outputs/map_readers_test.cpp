#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "outputs/maps/map_file.h"
#include "tests/outputs/map_samples.h"
#include "tests/support/system/python_reader.h"
#include "tests/support/system/temp_folder.h"

/// Map files read by other programs (tests/outputs/read_map.py). A reader that is not installed is skipped.
namespace dropmd {
namespace {

using Json = nlohmann::json;

/// The allowed difference between what was read and what was written.
struct Tolerance {
  double length = 0;  ///< of origin and spacing, absolute
  double value = 0;   ///< relative
};

/// Writes the map, lets `reader` read it and compares. Returns nothing where the reader is not installed.
std::optional<Json> read_back(const std::string& reader, const std::string& name, const PotentialMap& map,
                              const Tolerance& tolerance) {
  const TempFolder folder;
  const Particles ions = two_ions();
  write_map_file(folder.path() / name, map, map_atoms_of(ions), false);
  const auto outcome = run_python(folder.path(), "read_map.py", {reader, name});
  if (!outcome) return std::nullopt;
  EXPECT_EQ(outcome->status, 0) << outcome->out << outcome->err;
  if (outcome->status != 0) return Json::object();

  Json read = Json::parse(outcome->out);
  const MapGrid& grid = map.grid;
  EXPECT_EQ(read["points"], (std::vector<int>{grid.points.x, grid.points.y, grid.points.z}));
  const auto expect_near = [&](const Json& triple, const Vec3<double>& expected) {
    EXPECT_NEAR(triple[0].get<double>(), expected.x, tolerance.length);
    EXPECT_NEAR(triple[1].get<double>(), expected.y, tolerance.length);
    EXPECT_NEAR(triple[2].get<double>(), expected.z, tolerance.length);
  };
  expect_near(read["origin"], grid.origin);
  expect_near(read["spacing"], grid.spacing);
  const auto values = read["values"].get<std::vector<double>>();
  EXPECT_EQ(values.size(), map.potential.size());
  for (std::size_t p = 0; p < std::min(values.size(), map.potential.size()); ++p)
    EXPECT_NEAR(values[p], map.potential[p], tolerance.value * std::abs(map.potential[p])) << p;
  return read;
}

constexpr Tolerance kExact{};
constexpr Tolerance kEdges{.length = 1e-14};  ///< GridDataFormats computes spacings from differences of edges
constexpr Tolerance kGemmi{.length = 2e-5, .value = 6e-8};   ///< gemmi rounds the cell to five decimals
constexpr Tolerance kFp32{.length = 1e-6, .value = 6e-8};    ///< lengths up to 12
constexpr Tolerance kCube{.length = 3e-7, .value = 5.1e-6};  ///< half of 1e-6 Bohr; values have six digits

TEST(MapReaders, GridDataFormatsReadsOpenDx) {
  for (const Vec3<std::int32_t>& points : sample_points())
    if (!read_back("griddata", "a.dx", sample_map(points), kEdges)) GTEST_SKIP() << "no GridDataFormats";
}

TEST(MapReaders, GridDataFormatsReadsWholeNumbers) {
  PotentialMap map = sample_map({2, 2, 2});
  map.grid.origin = {-10, 0, 3};
  map.grid.spacing = {1, 2, 1e-5};
  map.potential = {0, 1, -1, 1e22, 1e-300, 5, 6, 7};
  if (!read_back("griddata", "a.dx", map, kEdges)) GTEST_SKIP() << "no GridDataFormats";
}

/// The same map with ORIGIN and with NXSTART, where the origin is a whole number of spacings.
std::vector<PotentialMap> maps_of_both_origins(const Vec3<std::int32_t>& points) {
  std::vector<PotentialMap> maps(2, sample_map(points));
  maps[1].grid.origin = {-4.5, 0.75, 1.0};
  return maps;
}

TEST(MapReaders, GridDataFormatsReadsMrc) {
  for (const Vec3<std::int32_t>& points : sample_points())
    for (const PotentialMap& map : maps_of_both_origins(points))
      if (!read_back("griddata", "a.mrc", map, kFp32)) GTEST_SKIP() << "no GridDataFormats";
}

TEST(MapReaders, MrcFileReadsMrc) {
  for (const Vec3<std::int32_t>& points : sample_points())
    for (const PotentialMap& map : maps_of_both_origins(points))
      if (!read_back("mrcfile", "a.mrc", map, kFp32)) GTEST_SKIP() << "no mrcfile";
}

/// gemmi reads NXSTART only.
TEST(MapReaders, GemmiReadsMrc) {
  for (const Vec3<std::int32_t>& points : sample_points()) {
    const PotentialMap map = maps_of_both_origins(points)[1];
    const auto read = read_back("gemmi", "a.map", map, kGemmi);
    if (!read) GTEST_SKIP() << "no gemmi for Python";
    EXPECT_EQ((*read)["texts"]["title"], map.title);
  }
}

TEST(MapReaders, AseReadsCube) {
  for (const Vec3<std::int32_t>& points : sample_points()) {
    const auto read = read_back("ase", "a.cube", sample_map(points), kCube);
    if (!read) GTEST_SKIP() << "no ASE";
    const Json& atoms = (*read)["atoms"];
    ASSERT_EQ(atoms.size(), 2U);
    EXPECT_EQ(atoms[0][0], 11);
    EXPECT_EQ(atoms[1][0], 17);
    EXPECT_NEAR(atoms[0][3].get<double>(), 2.25, kCube.length);
    EXPECT_NEAR(atoms[1][1].get<double>(), 10.0, kCube.length);
  }
}

TEST(MapReaders, VtkReadsImageData) {
  for (const Vec3<std::int32_t>& points : sample_points())
    for (const bool has_field : {false, true}) {
      PotentialMap map = sample_map(points, has_field);
      map.title = "<two> & \"three\" \xc3\xa4";
      const auto read = read_back("vtk", "a.vti", map, kExact);
      if (!read) GTEST_SKIP() << "no VTK for Python";
      EXPECT_EQ((*read)["texts"]["title"], map.title);
      EXPECT_EQ((*read)["texts"]["potential_unit"], "kcal/mol/e");
      EXPECT_EQ((*read)["texts"]["length_unit"], "A");
      EXPECT_EQ(read->contains("field"), has_field);
      if (!has_field) continue;
      EXPECT_EQ((*read)["texts"]["field_unit"], "kcal/mol/e/A");
      ASSERT_EQ((*read)["field"].size(), map.field.size());
      for (std::size_t p = 0; p < map.field.size(); ++p)
        EXPECT_EQ((*read)["field"][p], (std::vector<double>{map.field[p].x, map.field[p].y, map.field[p].z})) << p;
    }
}

}  // namespace
}  // namespace dropmd

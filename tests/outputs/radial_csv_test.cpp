#include "outputs/maps/radial_csv.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/version.h"
#include "tests/outputs/map_samples.h"
#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

struct Row {
  double r, potential;
  std::size_t points;
};

std::vector<Row> rows_of(const PotentialMap& map, const Vec3<double>& center, double width) {
  const TempFolder folder;
  write_radial_csv(folder.path() / "a.csv", map, center, width, false);
  const std::vector<std::string> lines = lines_of(read_text(folder.path() / "a.csv"));
  std::vector<Row> rows;
  for (std::size_t line = 2; line < lines.size(); ++line) {
    char* next = nullptr;
    const double r = std::strtod(lines[line].c_str(), &next);
    const double potential = std::strtod(next + 1, &next);
    rows.push_back({r, potential, std::strtoul(next + 1, &next, 10)});
    EXPECT_EQ(*next, '\0');
  }
  return rows;
}

TEST(RadialCsv, FileText) {
  const TempFolder folder;
  PotentialMap map = sample_map({4, 1, 1});
  map.grid.origin = {0, 0, 0};
  map.potential = {1, 2, 4, 1.0 / 3.0};  // at 0, 0.5, 1, 1.5
  write_radial_csv(folder.path() / "a.csv", map, {0, 0, 0}, 1.0, false);
  EXPECT_EQ(read_text(folder.path() / "a.csv"),
            "# dropmd " + std::string(kVersion) +
                ", units: length A, potential kcal/mol/e; means over grid points in shells of 1 about 0 0 0; "
                "two ions, direct\n"
                "r,potential,points\n"
                "0.5,1.5,2\n"
                "1.5,2.1666666666666665,2\n");
  EXPECT_EQ(count_entries(folder.path()), 1U);
}

/// The potential r² about the centre: the mean of a shell lies between the squares of its radii, and no point is lost.
TEST(RadialCsv, MeansLieWithinTheirShells) {
  PotentialMap map = sample_map({17, 15, 13});
  const Vec3<double> center{-1.0, 2.0, -10.0};
  const MapGrid& grid = map.grid;
  for (std::int32_t k = 0; k < grid.points.z; ++k)
    for (std::int32_t j = 0; j < grid.points.y; ++j)
      for (std::int32_t i = 0; i < grid.points.x; ++i) {
        const Vec3<double> d = grid.at(i, j, k) - center;
        map.potential[grid.number(i, j, k)] = dot(d, d);
      }
  constexpr double kWidth = 0.3;
  const std::vector<Row> rows = rows_of(map, center, kWidth);
  std::size_t points = 0;
  for (const Row& row : rows) {
    const double inner = row.r - kWidth / 2, outer = row.r + kWidth / 2;
    EXPECT_GE(row.potential, inner * inner * (1 - 1e-12));
    EXPECT_LE(row.potential, outer * outer * (1 + 1e-12));
    EXPECT_GT(row.points, 0U) << "a shell without points has no row";
    points += row.points;
  }
  EXPECT_EQ(points, grid.n_points());
}

TEST(RadialCsv, FarCenterLeavesEmptyShellsOut) {
  PotentialMap map = sample_map({2, 1, 1});
  map.grid.origin = {100, 0, 0};
  const std::vector<Row> rows = rows_of(map, {0, 0, 0}, 0.125);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].r, 100.0625);
  EXPECT_EQ(rows[1].r, 100.5625);
  EXPECT_EQ(rows[0].potential, map.potential[0]);
}

TEST(RadialCsv, ShellsWithoutWidthAreAnError) {
  const TempFolder folder;
  const PotentialMap map = sample_map({2, 2, 2});
  for (const double width : {0.0, -1.0, 1e-9, std::nan("")})
    EXPECT_NE(output_error_of([&] {
                write_radial_csv(folder.path() / "a.csv", map, {}, width, false);
              }).find("(a width must be positive, and there may be at most 1000000 shells)"),
              std::string::npos)
        << width;
  EXPECT_EQ(count_entries(folder.path()), 0U);
}

TEST(RadialCsv, ExistingFileIsRefused) {
  const TempFolder folder;
  const auto path = folder.write("a.csv", "old");
  EXPECT_NE(output_error_of([&] {
              write_radial_csv(path, sample_map({1, 1, 1}), {}, 1.0, false);
            }).find("use --force"),
            std::string::npos);
  EXPECT_EQ(read_text(path), "old");
}

}  // namespace
}  // namespace dropmd

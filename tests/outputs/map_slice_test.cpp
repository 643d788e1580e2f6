#include "outputs/maps/map_slice.h"

#include <gtest/gtest.h>
#include <png.h>

#include <limits>

#include "outputs/maps/canvas.h"
#include "tests/outputs/file_size_limit.h"
#include "tests/outputs/map_samples.h"
#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;

/// A picture as libpng reads it.
struct Picture {
  int width = 0, height = 0;
  std::vector<Color> pixels{};

  Color at(int x, int y) const {
    return pixels.at(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
  }
};

Picture picture_in(const fs::path& path) {
  const std::string bytes = read_text(path);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()), 0) << image.message;
  image.format = PNG_FORMAT_RGB;
  Picture picture{.width = static_cast<int>(image.width), .height = static_cast<int>(image.height)};
  picture.pixels.resize(std::size_t{image.width} * image.height);
  EXPECT_NE(png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr), 0) << image.message;
  return picture;
}

Picture picture_of(const PotentialMap& map, const SliceOptions& options, const MapAtoms& atoms = {}) {
  const TempFolder folder;
  write_map_slice(folder.path() / "a.png", map, atoms, options, false);
  EXPECT_EQ(count_entries(folder.path()), 1U);
  return picture_in(folder.path() / "a.png");
}

/// A map of 21³ points from −10 to 10 on each axis; the potential is a function of the position.
template <class Potential>
PotentialMap cube_map(Potential&& potential) {
  PotentialMap map{.grid = {.origin = {-10, -10, -10}, .spacing = {1, 1, 1}, .points = {21, 21, 21}},
                   .unit = "V",
                   .length = "A",
                   .title = "test"};
  for (std::int32_t k = 0; k < 21; ++k)
    for (std::int32_t j = 0; j < 21; ++j)
      for (std::int32_t i = 0; i < 21; ++i) map.potential.push_back(potential(map.grid.at(i, j, k)));
  return map;
}

/// The colour in a slice of cube_map at the coordinates of a pixel's centre. The map is 840 pixels wide, starting at
/// (100, 64).
Color color_at(const Picture& picture, double u, double v) {
  constexpr double kPixelsPerLength = 840 / 21.0;
  return picture.at(static_cast<int>(100 + (u + 10.5) * kPixelsPerLength),
                    static_cast<int>(64 + (10.5 - v) * kPixelsPerLength));
}

bool is_red(Color c) { return c.red > c.blue + 40 && c.red > c.green + 40; }
bool is_blue(Color c) { return c.blue > c.red + 40; }
bool is_white(Color c) { return c.red > 235 && c.green > 235 && c.blue > 235; }

TEST(MapSlice, NegativeIsRedPositiveBlueZeroWhiteOnEachAxis) {
  const PotentialMap map = cube_map([](const Vec3<double>& x) { return x.x + 100 * x.y + 10000 * x.z; });
  const Picture across_z = picture_of(map, {.coordinate = 0, .limit = 500});
  EXPECT_TRUE(is_red(color_at(across_z, 0, -8)));
  EXPECT_TRUE(is_white(color_at(across_z, 0, 0)));
  EXPECT_TRUE(is_blue(color_at(across_z, 0, 8)));
  const Picture across_y = picture_of(map, {.axis = MapAxis::y, .coordinate = 0, .limit = 50000});
  EXPECT_TRUE(is_red(color_at(across_y, 5, -8))) << "v is z";
  EXPECT_TRUE(is_blue(color_at(across_y, 5, 8)));
  const Picture across_x = picture_of(map, {.axis = MapAxis::x, .coordinate = 0, .limit = 500});
  EXPECT_TRUE(is_red(color_at(across_x, -8, 0))) << "u is y";
  EXPECT_TRUE(is_blue(color_at(across_x, 8, 0)));
  const int width = across_z.width, height = across_z.height;
  EXPECT_GE(std::min(width, height), 800);
  EXPECT_LE(std::max(width, height), 1200);
}

TEST(MapSlice, PlaneIsLinearBetweenPlanesOfPoints) {
  const PotentialMap map = cube_map([](const Vec3<double>& x) { return x.z; });
  constexpr std::size_t kPoints = 441;  // 21²
  EXPECT_EQ(plane_of(map, MapAxis::z, 2.25).potential, std::vector<double>(kPoints, 2.25));
  EXPECT_EQ(plane_of(map, MapAxis::z, 10).potential, std::vector<double>(kPoints, 10.0)) << "the last plane";
  EXPECT_EQ(plane_of(map, MapAxis::z, -10).potential, std::vector<double>(kPoints, -10.0));
  const MapPlane plane = plane_of(map, MapAxis::x, 0.5);
  EXPECT_EQ(plane.at(0, 3.75), 3.75);
  EXPECT_EQ(plane.at(-99, 99), 10) << "beyond the outermost points";
}

/// A peak at one of 400 points would leave all other points white.
TEST(MapSlice, OnePeakDoesNotSetTheColors) {
  const auto potential = [](const Vec3<double>& x) { return norm(x - Vec3<double>{3, 3, 0}) < 0.1 ? -1e6 : x.x; };
  const PotentialMap map = cube_map(potential);
  const Picture picture = picture_of(map, {});
  EXPECT_TRUE(is_red(color_at(picture, -8, -8)));
  EXPECT_TRUE(is_blue(color_at(picture, 8, -8)));
  EXPECT_EQ(plane_of(map, MapAxis::z, 0).quantile(0.98), 10);
}

TEST(MapSlice, AtomsNearThePlaneInTheColorOfTheirCharge) {
  const PotentialMap map = cube_map([](const Vec3<double>&) { return 0.0; });
  Particles ions;
  ions.position = {{4, 5, 1}, {-4, 5, -1}, {4, -5, 0}, {-4, -5, 1.01}, {400, 0, 0}, {std::nan(""), 0, 0}};
  ions.charge = {1, -1, 0, 1, 1, 1};
  const Picture picture = picture_of(map, {.coordinate = 0, .atom_distance = 1}, map_atoms_of(ions));
  EXPECT_TRUE(is_blue(color_at(picture, 4, 5)));
  EXPECT_TRUE(is_red(color_at(picture, -4, 5)));
  EXPECT_EQ(color_at(picture, 4, -5), (Color{150, 150, 150}));
  EXPECT_TRUE(is_white(color_at(picture, -4, -5))) << "too far from the plane";
}

TEST(MapSlice, FlatAndNarrowMapsHavePictures) {
  for (const Vec3<std::int32_t>& points :
       {Vec3<std::int32_t>{1, 1, 1}, Vec3<std::int32_t>{1, 300, 2}, Vec3<std::int32_t>{300, 2, 2}}) {
    PotentialMap map = sample_map(points);
    map.title = std::string(300, 'x') + "\n\xc3\xa4";
    for (const MapAxis axis : {MapAxis::x, MapAxis::y, MapAxis::z}) {
      const Picture picture = picture_of(map, {.axis = axis, .coordinate = along(map.grid.origin, axis)});
      EXPECT_GE(picture.width, 800);
      EXPECT_LE(std::max(picture.width, picture.height), 1200);
    }
  }
}

/// Coordinates so large that rounding loses the spacings.
TEST(MapSlice, FarMapHasAPicture) {
  PotentialMap map = sample_map({5, 5, 5});
  map.grid.origin = {1e20, -1e17, 0};
  EXPECT_EQ(picture_of(map, {}).width, 1120);
}

TEST(MapSlice, SlicesThatCannotBeDrawnAreErrors) {
  const PotentialMap map = cube_map([](const Vec3<double>& x) { return x.x; });
  const auto error_of = [&](const char* name, const SliceOptions& options) {
    return output_error_of([&] { require_map_slice(name, map.grid, options); });
  };
  EXPECT_EQ(error_of("a.png", {.coordinate = -10}), "");
  EXPECT_EQ(error_of("a.jpg", {}), "a.jpg: no slice format for this name (it must end in .png)");
  EXPECT_EQ(error_of("a.png", {.axis = MapAxis::y, .coordinate = 10.5}),
            "a.png: the slice y = 10.5 is outside the map (from -10 to 10)");
  EXPECT_EQ(error_of("a.png", {.limit = 0}), "a.png: colours up to 0 (a limit must be positive)");
  EXPECT_EQ(error_of("a.png", {.atom_distance = -1}),
            "a.png: atoms up to -1 from the plane (a distance must not be negative)");
  EXPECT_NE(error_of("a.png", {.coordinate = std::nan("")}), "");
}

TEST(MapSlice, FailureKeepsTheOldFileAndNoTemporary) {
  const TempFolder folder;
  const fs::path path = folder.write("a.png", "old");
  PotentialMap map = cube_map([](const Vec3<double>& x) { return x.x; });
  EXPECT_NE(output_error_of([&] { write_map_slice(path, map, {}, {}, false); }).find("use --force"), std::string::npos);
  {
    const FileSizeLimit limit(1000);
    EXPECT_NE(output_error_of([&] { write_map_slice(path, map, {}, {}, true); }).find("File too large"),
              std::string::npos);
  }
  map.potential[map.grid.number(0, 0, 10)] = std::numeric_limits<double>::infinity();
  EXPECT_NE(output_error_of([&] { write_map_slice(path, map, {}, {}, true); }).find("is inf in the slice"),
            std::string::npos);
  EXPECT_EQ(read_text(path), "old");
  EXPECT_EQ(count_entries(folder.path()), 1U);
}

}  // namespace
}  // namespace dropmd

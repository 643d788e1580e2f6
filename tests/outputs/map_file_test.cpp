#include "outputs/maps/map_file.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/outputs/file_size_limit.h"
#include "tests/outputs/map_samples.h"
#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileNames[] = {"a.dx", "a.cube", "a.mrc", "a.ccp4", "a.map", "a.vti"};

TEST(MapFile, UnknownExtensionIsAnErrorWithTheKnownOnes) {
  EXPECT_EQ(output_error_of([] { require_map_format("out/a.xplor"); }),
            "out/a.xplor: no map format for this name (it must end in .dx, .cube, .mrc, .ccp4, .map or .vti)");
  EXPECT_EQ(output_error_of([] { require_map_format("map", true); }),
            "map: no map format for this name (it must end in .vti)");
  for (const char* const name : kFileNames) EXPECT_NO_THROW(require_map_format(name)) << name;
}

TEST(MapFile, FieldNeedsAFormatThatHoldsIt) {
  EXPECT_NO_THROW(require_map_format("a.vti", true));
  EXPECT_EQ(output_error_of([] { require_map_format("a.dx", true); }),
            "a.dx: .dx holds only a potential, no field (a map with a field must end in .vti)");
  const TempFolder folder;
  const PotentialMap map = sample_map({1, 2, 3}, true);
  for (const char* const name : {"a.dx", "a.cube", "a.mrc", "a.ccp4", "a.map"})
    EXPECT_NE(output_error_of([&] { write_map_file(folder.path() / name, map, {}, false); }), "") << name;
  EXPECT_EQ(count_entries(folder.path()), 0U);
  EXPECT_NO_THROW(write_map_file(folder.path() / "a.vti", map, {}, false));
}

TEST(MapFile, FormatFollowsTheExtension) {
  const TempFolder folder;
  const Particles ions = two_ions();
  for (const char* const name : kFileNames)
    write_map_file(folder.path() / name, sample_map({7, 5, 3}), map_atoms_of(ions), false);
  EXPECT_EQ(count_entries(folder.path()), std::size(kFileNames));
  const auto begins = [&](const char* name, const std::string& text) {
    EXPECT_EQ(read_text(folder.path() / name).substr(0, text.size()), text) << name;
  };
  begins("a.dx", "# two ions, direct\n");
  begins("a.cube", "potential in kcal/mol/e, lengths in Bohr: two ions, direct\n");
  begins("a.mrc", std::string("\7\0\0\0\5\0\0\0\3\0\0\0\2\0\0\0", 16));
  begins("a.vti", "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\"");
  EXPECT_EQ(read_text(folder.path() / "a.mrc"), read_text(folder.path() / "a.map"));
  EXPECT_EQ(read_text(folder.path() / "a.mrc"), read_text(folder.path() / "a.ccp4"));
}

TEST(MapFile, ExistingFileIsRefused) {
  const TempFolder folder;
  for (const char* const name : kFileNames) {
    const fs::path path = folder.write(name, "old");
    EXPECT_NE(output_error_of([&] {
                write_map_file(path, sample_map({1, 1, 1}), {}, false);
              }).find("use --force"),
              std::string::npos);
    EXPECT_EQ(read_text(path), "old");
    write_map_file(path, sample_map({1, 1, 1}), {}, true);
    EXPECT_NE(read_text(path), "old");
  }
}

TEST(MapFile, DiskThatFillsUpKeepsTheOldFileAndNoTemporary) {
  const TempFolder folder;
  const PotentialMap map = sample_map({40, 40, 40});
  for (const char* const name : kFileNames) {
    const fs::path path = folder.write(name, "old");
    const std::size_t n_entries = count_entries(folder.path());
    const FileSizeLimit limit(100000);
    EXPECT_NE(output_error_of([&] { write_map_file(path, map, {}, true); }).find("File too large"), std::string::npos);
    EXPECT_EQ(read_text(path), "old");
    EXPECT_EQ(count_entries(folder.path()), n_entries);
  }
}

TEST(MapFile, ValueThatIsNotFiniteIsAnErrorWithItsPlace) {
  const TempFolder folder;
  PotentialMap map = sample_map({2, 2, 2});
  map.potential[map.grid.number(1, 0, 1)] = std::numeric_limits<double>::quiet_NaN();
  map.grid.spacing.z = 0.25;
  for (const char* const name : kFileNames)
    EXPECT_EQ(output_error_of([&] { write_map_file(folder.path() / name, map, {}, false); }),
              (folder.path() / name).string() +
                  ": the potential is nan at (-2.6, 0.7, -12) (a map file holds finite numbers)");
  map.potential[map.grid.number(1, 0, 1)] = -std::numeric_limits<double>::infinity();
  EXPECT_NE(output_error_of([&] { write_map_file(folder.path() / "a.dx", map, {}, false); }).find("is -inf at"),
            std::string::npos);
  map = sample_map({2, 2, 2}, true);
  map.field[7].y = std::numeric_limits<double>::infinity();
  EXPECT_NE(output_error_of([&] {
              write_map_file(folder.path() / "a.vti", map, {}, false);
            }).find("the field is not finite at (-2.6, 0.95, -11.91"),
            std::string::npos);
  EXPECT_EQ(count_entries(folder.path()), 0U);
}

TEST(MapFile, GridThatDoesNotFitItsValuesIsAnError) {
  const TempFolder folder;
  const auto error_of = [&](const PotentialMap& map) {
    return output_error_of([&] { write_map_file(folder.path() / "a.vti", map, {}, false); });
  };
  PotentialMap map = sample_map({2, 2, 2}, true);
  map.field.pop_back();
  EXPECT_NE(error_of(map).find("8 values of the potential and 7 of the field for 8 points"), std::string::npos);
  for (const double spacing : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    map = sample_map({2, 2, 2});
    map.grid.spacing.y = spacing;
    EXPECT_NE(error_of(map).find("the map has no grid"), std::string::npos);
  }
  EXPECT_NE(error_of({}).find("the map has no grid"), std::string::npos);
  EXPECT_EQ(count_entries(folder.path()), 0U);
}

}  // namespace
}  // namespace dropmd

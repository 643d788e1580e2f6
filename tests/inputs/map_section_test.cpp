#include <gtest/gtest.h>

#include "inputs/run_file/run_config.h"
#include "inputs/run_file/run_file.h"
#include "tests/inputs/bad_files.h"
#include "tests/support/form_catalog.h"

/// The section [map] of a run file.
namespace dropmd {
namespace {

RunConfig run_of(std::string_view units, std::string_view text) {
  const TempFolder folder;
  return read_run_file(
      folder.write("run.toml", "units = \"" + std::string(units) + "\"\nsystem.structure = \"a.drop\"\n[coulomb]\n" +
                                   std::string(text)),
      test_form_catalog());
}

MapConfig map_of(std::string_view units, std::string_view keys) {
  return run_of(units, "[map]\n" + std::string(keys)).map.value();
}

TEST(MapSection, LeftOutThereAreNoMaps) { EXPECT_FALSE(run_of("real", "").map); }

TEST(MapSection, DefaultsInUnitsReal) {
  const MapConfig map = map_of("real", "");
  EXPECT_EQ(map.every, 100);
  EXPECT_TRUE(map.average);
  EXPECT_EQ(map.file, "potential.dx");
  EXPECT_EQ(map.choices.spacing, (Vec3<double>{0.5, 0.5, 0.5}));
  EXPECT_EQ(map.choices.padding, 5);
  EXPECT_FALSE(map.choices.origin);
  EXPECT_FALSE(map.choices.points);
  EXPECT_EQ(map.choices.method(), MapMethod::cutoff);
  EXPECT_EQ(map.choices.coulomb.form, "shift");
  EXPECT_EQ(map.choices.coulomb.at("cutoff"), 12);
  EXPECT_EQ(map.choices.nearest, 0.1);
  EXPECT_FALSE(map.choices.field);
  EXPECT_EQ(map.choices.unit, MapUnit::energy);
  EXPECT_FALSE(map.choices.temperature);
}

TEST(MapSection, DefaultsInUnitsLj) {
  const MapConfig map = map_of("lj", "");
  EXPECT_EQ(map.choices.spacing, (Vec3<double>{0.2, 0.2, 0.2}));
  EXPECT_EQ(map.choices.padding, 2);
  EXPECT_EQ(map.choices.coulomb.at("cutoff"), 5);
  EXPECT_EQ(map.choices.nearest, 0.04);
}

TEST(MapSection, EveryKey) {
  const MapConfig map = map_of("real",
                               "every = 0\nspacing = 0.25\norigin = [-1, 0, 2.5]\npoints = [10, 1, 30]\n"
                               "method = \"cutoff\"\nform = \"reaction-field\"\ncutoff = 9\ndielectric = inf\n"
                               "nearest = 0.5\nunit = \"kT\"\ntemperature = 298.15\naverage = false\n"
                               "file = \"last.cube\"\n");
  EXPECT_EQ(map.every, 0);
  EXPECT_EQ(map.choices.spacing, (Vec3<double>{0.25, 0.25, 0.25}));
  EXPECT_EQ(map.choices.origin, (Vec3<double>{-1, 0, 2.5}));
  EXPECT_EQ(map.choices.points, (Vec3<std::int32_t>{10, 1, 30}));
  EXPECT_EQ(map.choices.coulomb.form, "reaction-field");
  EXPECT_EQ(map.choices.coulomb.at("cutoff"), 9);
  EXPECT_EQ(map.choices.coulomb.at("dielectric"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(map.choices.nearest, 0.5);
  EXPECT_EQ(map.choices.unit, MapUnit::thermal);
  EXPECT_EQ(map.choices.temperature, 298.15);
  EXPECT_FALSE(map.average);
  EXPECT_EQ(map.file, "last.cube");
}

TEST(MapSection, ListsMixWholeNumbersOfAnySizeWithDecimals) {
  const MapConfig map = map_of("real", "origin = [9007199254740993, -0.5, -4503599627370497]\npoints = [2, 2, 2]\n");
  EXPECT_EQ(map.choices.origin, (Vec3<double>{9007199254740992.0, -0.5, -4503599627370497.0}));
}

TEST(MapSection, DirectSummationHasNoForm) {
  const MapConfig map = map_of("real", "method = \"direct\"\nunit = \"V\"\npadding = 0\nspacing = [1, 2, 0.5]\n");
  EXPECT_EQ(map.choices.method(), MapMethod::direct);
  EXPECT_EQ(map.choices.coulomb.form, "exact");
  EXPECT_TRUE(map.choices.coulomb.values.empty());
  EXPECT_EQ(map.choices.unit, MapUnit::volt);
  EXPECT_EQ(map.choices.padding, 0);
  EXPECT_EQ(map.choices.spacing, (Vec3<double>{1, 2, 0.5}));
}

TEST(MapSection, AMeshHasAnAccuracy) {
  const MapConfig map = map_of("real", "method = \"mesh\"\naccuracy = 1e-3\n");
  EXPECT_EQ(map.choices.method(), MapMethod::mesh);
  EXPECT_EQ(map.choices.coulomb.form, "exact");
  EXPECT_EQ(map.choices.accuracy, 1e-3);
  EXPECT_EQ(map_of("lj", "method = \"mesh\"\n").choices.accuracy, 1e-4);
  EXPECT_FALSE(map_of("real", "method = \"direct\"\n").choices.accuracy);
}

/// Units, structure and the header come before these keys, which begin on line 4.
const BadFile kBadMaps[] = {
    {"UnknownKey", "spacng = 1\n", "FILE:4:1: unknown key 'spacng' in [map] (did you mean 'spacing'?)"},
    {"EveryIsNegative", "every = -1\n", "FILE:4:9: 'every' in [map] is -1 (it must be at least 0)"},
    {"SpacingIsZero", "spacing = 0\n", "FILE:4:11: 'spacing' in [map] is 0 (it must be greater than 0)"},
    {"SpacingOfTwo", "spacing = [1, 2]\n",
     "FILE:4:11: 'spacing' in [map] has length 2 (give three numbers: x, y and z)"},
    {"SpacingOfAnAxisIsNegative", "spacing = [1, 2, -0.5]\n",
     "FILE:4:11: a number of 'spacing' in [map] is -0.5 (it must be greater than 0)"},
    {"SpacingIsText", "spacing = \"fine\"\n", "FILE:4:11: 'spacing' in [map] is a string (expected: a number)"},
    {"PaddingIsNegative", "padding = -5\n", "FILE:4:11: 'padding' in [map] is -5 (it must be at least 0)"},
    {"OriginAlone", "origin = [0, 0, 0]\n",
     "FILE:4:1: 'origin' in [map] without 'points' (give both or, for a grid around the atoms, neither)"},
    {"PointsAlone", "points = [9, 9, 9]\n",
     "FILE:4:1: 'points' in [map] without 'origin' (give both or, for a grid around the atoms, neither)"},
    {"PaddingBesidePoints", "padding = 5\norigin = [0, 0, 0]\npoints = [9, 9, 9]\n",
     "FILE:4:1: 'padding' in [map] cannot be combined with 'points' (give either a padding around the atoms, or origin "
     "and points)"},
    {"OriginIsNoList", "origin = 0\npoints = [9, 9, 9]\n",
     "FILE:4:10: 'origin' in [map] is a whole number (expected: a list of three numbers)"},
    {"OriginOfWords", "origin = [\"0\", \"0\", \"0\"]\npoints = [9, 9, 9]\n",
     "FILE:4:10: 'origin' in [map] is a list (expected: a list of three numbers)"},
    {"OriginOfNothing", "origin = []\npoints = [9, 9, 9]\n",
     "FILE:4:10: 'origin' in [map] is a list (expected: a list of three numbers)"},
    {"OriginOfMixedThings", "origin = [0, \"0\", 0]\npoints = [9, 9, 9]\n",
     "FILE:4:10: 'origin' in [map] is a list (expected: a list of three numbers)"},
    {"OriginIsInfinite", "origin = [0, inf, 0]\npoints = [9, 9, 9]\n",
     "FILE:4:10: a number of 'origin' in [map] is inf (it must be finite)"},
    {"PointsOfFour", "origin = [0, 0, 0]\npoints = [9, 9, 9, 9]\n",
     "FILE:5:10: 'points' in [map] has length 4 (give three numbers: x, y and z)"},
    {"PointsAreFractions", "origin = [0, 0, 0]\npoints = [9.0, 9.0, 9.0]\n",
     "FILE:5:10: 'points' in [map] is a list (expected: a list of three whole numbers)"},
    {"NoPoints", "origin = [0, 0, 0]\npoints = [9, 0, 9]\n",
     "FILE:5:10: a number of 'points' in [map] is 0 (it must be from 1 to 2147483647)"},
    {"MorePointsThanAnIntCounts", "origin = [0, 0, 0]\npoints = [9, 2147483648, 9]\n",
     "FILE:5:10: a number of 'points' in [map] is 2147483648 (it must be from 1 to 2147483647)"},
    {"UnknownMethod", "method = \"cutof\"\n", "FILE:4:10: unknown method 'cutof' in [map] (did you mean 'cutoff'?)"},
    {"UnknownForm", "form = \"exact\"\n",
     "FILE:4:8: unknown form 'exact' in [map] (known: cut, shift, smoothed, reaction-field)"},
    {"DielectricWithShift", "dielectric = 2\n",
     "FILE:4:1: 'dielectric' in [map] is not used by form 'shift' (used by: reaction-field)"},
    {"KeysOfTheCutoffWithDirect", "method = \"direct\"\ncutoff = 12\nform = \"shift\"\ndielectric = 2\n",
     "FILE:5:1: 'cutoff' in [map] is not used by method 'direct' (used by: cutoff)\nFILE:6:1: 'form' in [map] is not "
     "used by method 'direct' (used by: cutoff)\nFILE:7:1: 'dielectric' in [map] is not used by method 'direct' (used "
     "by: cutoff)"},
    {"KeysOfTheCutoffWithAMesh", "method = \"mesh\"\ncutoff = 12\n",
     "FILE:5:1: 'cutoff' in [map] is not used by method 'mesh' (used by: cutoff)"},
    {"AccuracyWithACutoff", "accuracy = 1e-3\n",
     "FILE:4:1: 'accuracy' in [map] is not used by method 'cutoff' (used by: mesh)"},
    {"AccuracyIsCoarse", "method = \"mesh\"\naccuracy = 0.1\n",
     "FILE:5:12: 'accuracy' in [map] is 0.1 (it must be from 1e-10 to 0.01; below 1e-05 only in double precision)"},
    {"AccuracyIsZero", "method = \"mesh\"\naccuracy = 0\n",
     "FILE:5:12: 'accuracy' in [map] is 0 (it must be greater than 0)"},
    {"NearestIsZero", "nearest = 0\n", "FILE:4:11: 'nearest' in [map] is 0 (it must be greater than 0)"},
    {"NearestBeyondTheCutoff", "nearest = 12\n",
     "FILE:4:11: 'nearest' in [map] is 12 (it must be less than the cutoff, 12)"},
    {"CutoffBelowNearest", "cutoff = 0.05\n",
     "FILE:4:10: 'nearest' in [map] is 0.1 (it must be less than the cutoff, 0.05)"},
    {"UnknownUnit", "unit = \"kt\"\n", "FILE:4:8: unknown unit 'kt' in [map] (did you mean 'kT'?)"},
    {"ThermalWithoutTemperature", "unit = \"kT\"\n",
     "FILE:4:1: unit 'kT' in [map] needs 'temperature' (a number, greater than 0; unit: temperature)"},
    {"TemperatureIsZero", "unit = \"kT\"\ntemperature = 0\n",
     "FILE:5:15: 'temperature' in [map] is 0 (it must be greater than 0)"},
    {"TemperatureWithEnergy", "temperature = 300\n",
     "FILE:4:1: 'temperature' in [map] is not used by unit 'energy' (used by: kT)"},
    {"AverageIsAWord", "average = \"yes\"\n", "FILE:4:11: 'average' in [map] is a string (expected: true or false)"},
    {"FileIsEmpty", "file = \"\"\n",
     "FILE:4:8: 'file' in [map] is '' (choose a name that ends with .dx, .cube or .vti)"},
    {"FileOfUnknownFormat", "file = \"potential.txt\"\n",
     "FILE:4:8: 'file' in [map] is 'potential.txt' (choose a name that ends with .dx, .cube or .vti)"},
    {"FileInAFolder", "file = \"there/potential.dx\"\n",
     "FILE:4:8: 'file' in [map] is 'there/potential.dx' (give a file name without folders: the file goes into the "
     "output directory)"},
    {"FileOfTheRun", "file = \"checkpoint.h5\"\n",
     "FILE:4:8: 'file' in [map] is 'checkpoint.h5', another file of the run (choose another name, such as "
     "\"potential.dx\")"},
};

std::string message_of(std::string_view units, std::string_view text) {
  const std::string file = "units = \"" + std::string(units) + "\"\nsystem.structure = \"a.drop\"\n[map]\n";
  return message_for_text("run.toml", file + std::string(text),
                          [](const auto& path) { read_run_file(path, test_form_catalog()); });
}

class BadMapSection : public testing::TestWithParam<BadFile> {};

TEST_P(BadMapSection, GivesItsMessage) { EXPECT_EQ(message_of("real", GetParam().text), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(Table, BadMapSection, testing::ValuesIn(kBadMaps), bad_file_name);

TEST(MapSection, VoltsNeedUnitsReal) {
  EXPECT_EQ(message_of("lj", "unit = \"V\"\n"),
            "FILE:4:8: 'unit' in [map] is 'V' (volts need units \"real\"; choose energy or kT)");
}

}  // namespace
}  // namespace dropmd

#include "outputs/maps/opendx.h"

#include <gtest/gtest.h>

#include <sstream>

#include "core/version.h"
#include "tests/outputs/map_samples.h"
#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

std::string dx_text(const PotentialMap& map) {
  const TempFolder folder;
  FileWriter writer(folder.path() / "a.dx", false);
  write_opendx(writer, map);
  writer.close();
  return read_text(folder.path() / "a.dx");
}

TEST(OpenDx, FileText) {
  PotentialMap map = sample_map({1, 2, 2});
  map.grid.spacing.z = 1.5;
  map.potential = {0.1, -2.0, 1e-7, 1.0 / 3.0};
  EXPECT_EQ(dx_text(map), std::string("# two ions, direct\n"
                                      "# electrostatic potential in kcal/mol/e, lengths in A, by dropmd ") +
                              std::string(kVersion) +
                              "\n"
                              "object 1 class gridpositions counts 1 2 2\n"
                              "origin -3.1 0.7 -12.25\n"
                              "delta 0.5 0 0\n"
                              "delta 0 0.25 0\n"
                              "delta 0 0 1.5\n"
                              "object 2 class gridconnections counts 1 2 2\n"
                              "object 3 class array type double rank 0 items 4 data follows\n"
                              "0.1 1e-07 -2\n"
                              "0.3333333333333333\n"
                              "attribute \"dep\" string \"positions\"\n"
                              "object \"regular positions regular connections\" class field\n"
                              "component \"positions\" value 1\n"
                              "component \"connections\" value 2\n"
                              "component \"data\" value 3\n");
}

TEST(OpenDx, ValuesParseBackToTheSameBitsWithZFastest) {
  for (const Vec3<std::int32_t>& points : sample_points()) {
    const PotentialMap map = sample_map(points);
    const std::string text = dx_text(map);
    const std::size_t begin = text.find("data follows\n") + std::string("data follows\n").size();
    const std::size_t n_lines = lines_of(text.substr(begin)).size() - 5;
    EXPECT_EQ(n_lines, (map.grid.n_points() + 2) / 3);
    std::istringstream values(text.substr(begin));
    for (std::int32_t i = 0; i < points.x; ++i)
      for (std::int32_t j = 0; j < points.y; ++j)
        for (std::int32_t k = 0; k < points.z; ++k) {
          std::string word;
          values >> word;
          EXPECT_EQ(std::stod(word), map.potential[map.grid.number(i, j, k)]) << i << ' ' << j << ' ' << k;
        }
    std::string next;
    values >> next;
    EXPECT_EQ(next, "attribute");
  }
}

/// Versions of VMD read lines of up to 84 bytes, and take the rest for the next line.
TEST(OpenDx, LongTitleIsSeveralLinesOfComment) {
  PotentialMap map = sample_map({1, 1, 1});
  map.title = "two\nobject 1" + std::string(200, 'x');
  const std::vector<std::string> lines = lines_of(dx_text(map));
  EXPECT_EQ(lines.at(0), "# two object 1" + std::string(66, 'x'));
  EXPECT_EQ(lines.at(1), "# " + std::string(78, 'x'));
  EXPECT_EQ(lines.at(2), "# " + std::string(56, 'x'));
  EXPECT_EQ(lines.at(4), "object 1 class gridpositions counts 1 1 1");
}

/// No title, bytes that are not UTF-8, and bytes that no line of text has.
TEST(OpenDx, TitleOfAnyBytesIsAComment) {
  PotentialMap map = sample_map({1, 1, 1});
  for (const std::string& title : {std::string(), std::string(500, '\x80'), std::string(100, '\0')}) {
    map.title = title;
    const std::string text = dx_text(map);
    const std::size_t header = text.find("\nobject 1 class");
    ASSERT_NE(header, std::string::npos);
    for (const std::string& line : lines_of(text.substr(0, header))) EXPECT_EQ(line.substr(0, 2), "# ");
  }
}

}  // namespace
}  // namespace dropmd

#include "outputs/maps/mrc_map.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "tests/outputs/map_samples.h"
#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

/// The bytes of a file, addressed by the numbers of the 4-byte words of MRC2014, which count from 1.
class MrcBytes {
 public:
  explicit MrcBytes(const PotentialMap& map) {
    const TempFolder folder;
    FileWriter writer(folder.path() / "a.mrc", false);
    write_mrc_map(writer, map);
    writer.close();
    bytes_ = read_text(folder.path() / "a.mrc");
  }

  std::size_t size() const { return bytes_.size(); }
  std::string text(std::size_t word, std::size_t length) const { return bytes_.substr(4 * (word - 1), length); }
  template <class T>
  T at(std::size_t word) const {
    static_assert(sizeof(T) == 4);
    T value{};
    std::memcpy(&value, bytes_.data() + 4 * (word - 1), sizeof(value));
    return value;
  }
  template <class T>
  std::array<T, 3> three(std::size_t word) const {
    return {at<T>(word), at<T>(word + 1), at<T>(word + 2)};
  }

 private:
  std::string bytes_;
};

using Ints = std::array<std::int32_t, 3>;
using Floats = std::array<float, 3>;

TEST(MrcMap, Header) {
  PotentialMap map = sample_map({1, 2, 3});
  map.potential = {1, -2, 3, 4, -5, 11};
  const MrcBytes file(map);
  EXPECT_EQ(file.three<std::int32_t>(1), (Ints{1, 2, 3})) << "NX, NY, NZ";
  EXPECT_EQ(file.at<std::int32_t>(4), 2) << "MODE";
  EXPECT_EQ(file.three<std::int32_t>(8), (Ints{1, 2, 3})) << "MX, MY, MZ";
  EXPECT_EQ(file.three<float>(11), (Floats{0.5F, 0.5F, 1.0F})) << "cell, points * spacing";
  EXPECT_EQ(file.three<float>(14), (Floats{90, 90, 90}));
  EXPECT_EQ(file.three<std::int32_t>(17), (Ints{1, 2, 3})) << "MAPC, MAPR, MAPS";
  EXPECT_EQ(file.three<float>(20), (Floats{-5, 11, 2})) << "smallest, largest, mean";
  EXPECT_EQ(file.at<std::int32_t>(23), 1) << "ISPG: a volume";
  EXPECT_EQ(file.at<std::int32_t>(24), 0) << "NSYMBT: no extended header";
  EXPECT_EQ(file.text(53, 4), "MAP ");
  EXPECT_EQ(file.text(54, 2), "DA") << "little-endian";
  EXPECT_FLOAT_EQ(file.at<float>(55), std::sqrt(152.0F / 6)) << "RMS about the mean";
  EXPECT_EQ(file.at<std::int32_t>(56), 2);
  EXPECT_EQ(file.text(57, 18), "two ions, direct  ");
  const std::string units = "electrostatic potential in kcal/mol/e, lengths in A, by dropmd ";
  EXPECT_EQ(file.text(77, units.size()), units);
}

TEST(MrcMap, ValuesInFp32WithXFastest) {
  std::vector<Vec3<std::int32_t>> grids = sample_points();
  grids.push_back({64, 64, 3});  // more than a block
  for (const Vec3<std::int32_t>& points : grids) {
    const PotentialMap map = sample_map(points);
    const MrcBytes file(map);
    ASSERT_EQ(file.size(), 4 * (256 + map.grid.n_points()));
    for (std::size_t p = 0; p < map.grid.n_points(); ++p)
      ASSERT_EQ(file.at<float>(257 + p), static_cast<float>(map.potential[p])) << p;
  }
}

/// Readers use NXSTART, or ORIGIN if it is not zero, or their sum; so one of the two must be zero.
TEST(MrcMap, OriginInWholeSpacingsIsAStart) {
  PotentialMap map = sample_map({2, 3, 4});
  map.grid.origin = {-20 * 0.5, 7 * 0.25, -3.0 / 3.0};
  const MrcBytes whole(map);
  EXPECT_EQ(whole.three<std::int32_t>(5), (Ints{-20, 7, -3}));
  EXPECT_EQ(whole.three<float>(50), (Floats{0, 0, 0}));

  map.grid.origin.y += 0.1;
  const MrcBytes between(map);
  EXPECT_EQ(between.three<std::int32_t>(5), (Ints{0, 0, 0}));
  EXPECT_EQ(between.three<float>(50), (Floats{-10, 1.85F, -1}));
}

/// ChimeraX takes a start beyond ten times the size for a number that was never set.
TEST(MrcMap, FarStartIsAnOrigin) {
  PotentialMap map = sample_map({2, 3, 4});
  map.grid.origin = {0.5 * 40, 0, 0};
  EXPECT_EQ(MrcBytes(map).three<std::int32_t>(5), (Ints{40, 0, 0}));
  map.grid.origin.x = 0.5 * 41;
  EXPECT_EQ(MrcBytes(map).three<std::int32_t>(5), (Ints{0, 0, 0}));
  EXPECT_EQ(MrcBytes(map).three<float>(50), (Floats{20.5F, 0, 0}));
}

TEST(MrcMap, ValueBeyondFp32IsAnError) {
  PotentialMap map = sample_map({1, 1, 2});
  map.potential[1] = -1e39;
  EXPECT_NE(output_error_of([&] {
              MrcBytes{map};
            }).find("a.mrc: a potential of 1e+39 is too large for MRC, which has fp32 (use .dx, .cube or .vti)"),
            std::string::npos);
}

/// A label has 80 bytes; a character of several bytes must not be split.
TEST(MrcMap, LongTitleIsCutBetweenCharacters) {
  PotentialMap map = sample_map({1, 1, 1});
  const std::string fitting(79, 'x');
  map.title = fitting;
  map.title.append("\xc3\xa4");
  const MrcBytes file(map);
  EXPECT_EQ(file.text(57, 79), fitting);
  EXPECT_EQ(file.text(57, 80).back(), ' ');
  EXPECT_EQ(file.text(77, 14), "electrostatic ");
}

}  // namespace
}  // namespace dropmd

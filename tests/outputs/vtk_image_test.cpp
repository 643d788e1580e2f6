#include "outputs/maps/vtk_image.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/outputs/map_samples.h"
#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

std::string vti_bytes(const PotentialMap& map) {
  const TempFolder folder;
  FileWriter writer(folder.path() / "a.vti", false);
  write_vtk_image(writer, map);
  writer.close();
  return read_text(folder.path() / "a.vti");
}

constexpr std::string_view kDataBegin = "  <AppendedData encoding=\"raw\">\n_";
constexpr std::string_view kDataEnd = "\n  </AppendedData>\n</VTKFile>\n";

std::uint64_t count_at(const std::string& bytes, std::size_t place) {
  std::uint64_t count = 0;
  std::memcpy(&count, bytes.data() + place, sizeof(count));
  return count;
}

TEST(VtkImage, Header) {
  PotentialMap map = sample_map({2, 1, 3});
  map.grid.spacing.z = 1.5;
  map.title = "<&>";
  map.unit = "V";
  const std::string bytes = vti_bytes(map);
  const std::string header = bytes.substr(0, bytes.find(kDataBegin));
  EXPECT_EQ(header,
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
            "  <ImageData WholeExtent=\"0 1 0 0 0 2\" Origin=\"-3.1 0.7 -12.25\" Spacing=\"0.5 0.25 1.5\">\n"
            "    <FieldData>\n"
            "      <DataArray type=\"String\" Name=\"title\" NumberOfTuples=\"1\" format=\"ascii\">\n"
            "        60 38 62 0\n"
            "      </DataArray>\n"
            "      <DataArray type=\"String\" Name=\"potential_unit\" NumberOfTuples=\"1\" format=\"ascii\">\n"
            "        86 0\n"
            "      </DataArray>\n"
            "      <DataArray type=\"String\" Name=\"length_unit\" NumberOfTuples=\"1\" format=\"ascii\">\n"
            "        65 0\n"
            "      </DataArray>\n"
            "    </FieldData>\n"
            "    <Piece Extent=\"0 1 0 0 0 2\">\n"
            "      <PointData Scalars=\"potential\">\n"
            "        <DataArray type=\"Float64\" Name=\"potential\" format=\"appended\" offset=\"0\"/>\n"
            "      </PointData>\n"
            "    </Piece>\n"
            "  </ImageData>\n");
}

TEST(VtkImage, AllBitsOfPotentialAndField) {
  for (const Vec3<std::int32_t>& points : sample_points())
    for (const bool has_field : {false, true}) {
      const PotentialMap map = sample_map(points, has_field);
      const std::size_t n = map.grid.n_points();
      const std::string bytes = vti_bytes(map);
      EXPECT_EQ(bytes.find("Name=\"field\"") != std::string::npos, has_field);
      EXPECT_EQ(bytes.find("Name=\"field_unit\"") != std::string::npos, has_field);
      const std::size_t begin = bytes.find(kDataBegin) + kDataBegin.size();
      ASSERT_EQ(bytes.size(), begin + 8 + n * 8 + (has_field ? 8 + n * 24 : 0) + kDataEnd.size());
      EXPECT_TRUE(bytes.ends_with(kDataEnd));
      EXPECT_EQ(count_at(bytes, begin), n * 8);
      EXPECT_EQ(std::memcmp(bytes.data() + begin + 8, map.potential.data(), n * 8), 0);
      if (!has_field) continue;
      EXPECT_NE(bytes.find("NumberOfComponents=\"3\" format=\"appended\" offset=\"" + std::to_string(8 + n * 8) + "\""),
                std::string::npos);
      EXPECT_EQ(count_at(bytes, begin + 8 + n * 8), n * 24);
      EXPECT_EQ(std::memcmp(bytes.data() + begin + 16 + n * 8, map.field.data(), n * 24), 0);
    }
}

}  // namespace
}  // namespace dropmd

#include "outputs/maps/vtk_image.h"

#include <fmt/core.h>

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace dropmd {
namespace {

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

/// Returns an array with one text: the codes of its bytes and a zero, as VTK writes it.
std::string text_array(std::string_view name, std::string_view text) {
  std::string array = fmt::format(
      "      <DataArray type=\"String\" Name=\"{}\" NumberOfTuples=\"1\" format=\"ascii\">\n        ", name);
  for (const char c : text) array += fmt::format("{} ", static_cast<unsigned char>(c));
  return array + "0\n      </DataArray>\n";
}

/// Writes an array of the appended data.
template <class T>
void write_block(FileWriter& writer, std::span<const T> values) {
  const std::uint64_t n_bytes = values.size_bytes();
  writer.write(bytes_of(std::span(&n_bytes, 1)));
  writer.write(bytes_of(values));
}

}  // namespace

void write_vtk_image(FileWriter& writer, const PotentialMap& map) {
  static_assert(sizeof(Vec3<double>) == 3 * sizeof(double));
  constexpr std::string_view kByteOrder = std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";
  const MapGrid& grid = map.grid;
  const bool has_field = !map.field.empty();
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", grid.points.x - 1, grid.points.y - 1, grid.points.z - 1);

  writer.write(fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"{}\" header_type=\"UInt64\">\n"
      "  <ImageData WholeExtent=\"{}\" Origin=\"{} {} {}\" Spacing=\"{} {} {}\">\n"
      "    <FieldData>\n",
      kByteOrder, extent, grid.origin.x, grid.origin.y, grid.origin.z, grid.spacing.x, grid.spacing.y, grid.spacing.z));
  writer.write(text_array("title", map.title) + text_array("potential_unit", map.unit) +
               text_array("length_unit", map.length));
  if (has_field) writer.write(text_array("field_unit", map.unit + "/" + map.length));
  writer.write(
      fmt::format("    </FieldData>\n"
                  "    <Piece Extent=\"{}\">\n"
                  "      <PointData Scalars=\"potential\"{}>\n"
                  "        <DataArray type=\"Float64\" Name=\"potential\" format=\"appended\" offset=\"0\"/>\n",
                  extent, has_field ? " Vectors=\"field\"" : ""));
  if (has_field)
    writer.write(
        fmt::format("        <DataArray type=\"Float64\" Name=\"field\" NumberOfComponents=\"3\" format=\"appended\" "
                    "offset=\"{}\"/>\n",
                    sizeof(std::uint64_t) + map.potential.size() * sizeof(double)));
  // The data begin after the underscore.
  writer.write(
      "      </PointData>\n"
      "    </Piece>\n"
      "  </ImageData>\n"
      "  <AppendedData encoding=\"raw\">\n"
      "_");
  write_block(writer, std::span(map.potential));
  if (has_field) write_block(writer, std::span(map.field));
  writer.write("\n  </AppendedData>\n</VTKFile>\n");
}

}  // namespace dropmd

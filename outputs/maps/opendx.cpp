#include "outputs/maps/opendx.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/version.h"
#include "outputs/files/one_line.h"

namespace dropmd {
namespace {

/// Some versions of VMD read lines into buffers of 85 bytes and take the rest for a line of its own.
constexpr std::size_t kMostCommentBytes = 78;
constexpr int kValuesPerLine = 3;

/// Writes as many comment lines as the text needs.
void write_comment(FileWriter& writer, std::string_view text) {
  do {
    const std::string line = one_line(text, kMostCommentBytes);
    writer.write(fmt::format("# {}\n", line));
    text.remove_prefix(line.size());
  } while (!text.empty());
}

}  // namespace

void write_opendx(FileWriter& writer, const PotentialMap& map) {
  const MapGrid& grid = map.grid;
  const Vec3<std::int32_t> n = grid.points;
  write_comment(writer, map.title);
  write_comment(writer, fmt::format("electrostatic potential in {}, lengths in {}, by dropmd {}", map.unit, map.length,
                                    kVersion));
  writer.write(
      fmt::format("object 1 class gridpositions counts {} {} {}\n"
                  "origin {} {} {}\n"
                  "delta {} 0 0\n"
                  "delta 0 {} 0\n"
                  "delta 0 0 {}\n"
                  "object 2 class gridconnections counts {} {} {}\n"
                  "object 3 class array type double rank 0 items {} data follows\n",
                  n.x, n.y, n.z, grid.origin.x, grid.origin.y, grid.origin.z, grid.spacing.x, grid.spacing.y,
                  grid.spacing.z, n.x, n.y, n.z, grid.n_points()));

  fmt::memory_buffer number;
  int in_line = 0;
  for (std::int32_t i = 0; i < n.x; ++i)
    for (std::int32_t j = 0; j < n.y; ++j)
      for (std::int32_t k = 0; k < n.z; ++k) {
        number.clear();
        if (in_line > 0) number.push_back(' ');
        fmt::format_to(fmt::appender(number), FMT_COMPILE("{}"), map.potential[grid.number(i, j, k)]);
        in_line = (in_line + 1) % kValuesPerLine;
        if (in_line == 0) number.push_back('\n');
        writer.write(std::string_view(number.data(), number.size()));
      }
  if (in_line > 0) writer.write("\n");

  writer.write(
      "attribute \"dep\" string \"positions\"\n"
      "object \"regular positions regular connections\" class field\n"
      "component \"positions\" value 1\n"
      "component \"connections\" value 2\n"
      "component \"data\" value 3\n");
}

}  // namespace dropmd

#include "outputs/maps/radial_csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/errors.h"
#include "core/version.h"
#include "outputs/files/atomic_file.h"
#include "outputs/files/one_line.h"

namespace dropmd {
namespace {

constexpr double kMostShells = 1e6;
constexpr std::size_t kMostTitleBytes = 1000;

struct Shell {
  double sum = 0;
  std::size_t points = 0;
};

template <class Visit>
void for_each_point(const MapGrid& grid, Visit&& visit) {
  std::size_t number = 0;
  for (std::int32_t k = 0; k < grid.points.z; ++k)
    for (std::int32_t j = 0; j < grid.points.y; ++j)
      for (std::int32_t i = 0; i < grid.points.x; ++i) visit(number++, grid.at(i, j, k));
}

std::vector<Shell> shells_of(const std::filesystem::path& path, const PotentialMap& map, const Vec3<double>& center,
                             double width) {
  double farthest = 0;
  for_each_point(map.grid,
                 [&](std::size_t, const Vec3<double>& x) { farthest = std::max(farthest, norm(x - center)); });
  const double last = std::floor(farthest / width);
  if (!(width > 0 && last < kMostShells))
    throw OutputError(
        fmt::format("{}: shells of {} {} up to {} {} (a width must be positive, and there may be at most {} shells)",
                    path.string(), width, map.length, farthest, map.length, kMostShells));
  std::vector<Shell> shells(static_cast<std::size_t>(last) + 1);
  for_each_point(map.grid, [&](std::size_t number, const Vec3<double>& x) {
    Shell& shell = shells[static_cast<std::size_t>(norm(x - center) / width)];
    shell.sum += map.potential[number];
    ++shell.points;
  });
  return shells;
}

}  // namespace

void write_radial_csv(const std::filesystem::path& path, const PotentialMap& map, const Vec3<double>& center,
                      double width, bool overwrite) {
  const std::vector<Shell> shells = shells_of(path, map, center, width);
  write_atomically(path, overwrite, [&](FileWriter& writer) {
    writer.write(fmt::format(
        "# dropmd {}, units: length {}, potential {}; means over grid points in shells of {} about {} {} {}; {}\n"
        "r,potential,points\n",
        kVersion, map.length, map.unit, width, center.x, center.y, center.z, one_line(map.title, kMostTitleBytes)));
    for (std::size_t k = 0; k < shells.size(); ++k) {
      const Shell& shell = shells[k];
      if (shell.points == 0) continue;
      writer.write(fmt::format("{:.17g},{:.17g},{}\n", (static_cast<double>(k) + 0.5) * width,
                               shell.sum / static_cast<double>(shell.points), shell.points));
    }
  });
}

}  // namespace dropmd

#include "outputs/maps/map_file.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "core/errors.h"
#include "outputs/files/atomic_file.h"
#include "outputs/maps/gaussian_cube.h"
#include "outputs/maps/mrc_map.h"
#include "outputs/maps/opendx.h"
#include "outputs/maps/vtk_image.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;

void write_dx(FileWriter& writer, const PotentialMap& map, const MapAtoms&) { write_opendx(writer, map); }
void write_mrc(FileWriter& writer, const PotentialMap& map, const MapAtoms&) { write_mrc_map(writer, map); }
void write_vti(FileWriter& writer, const PotentialMap& map, const MapAtoms&) { write_vtk_image(writer, map); }

struct Format {
  std::string_view extension;
  void (*write)(FileWriter&, const PotentialMap&, const MapAtoms&);
  bool holds_field = false;
};

/// One entry per format.
constexpr std::array kFormats{
    Format{".dx", write_dx},   Format{".cube", write_gaussian_cube},
    Format{".mrc", write_mrc}, Format{".ccp4", write_mrc},
    Format{".map", write_mrc}, Format{".vti", write_vti, true},
};

/// Returns "A, B or C" with the extensions.
std::string known_extensions(bool has_field) {
  std::string known;
  std::string_view last;
  for (const Format& format : kFormats) {
    if (has_field && !format.holds_field) continue;
    if (!last.empty()) known += fmt::format("{}{}", known.empty() ? "" : ", ", last);
    last = format.extension;
  }
  return known.empty() ? std::string(last) : fmt::format("{} or {}", known, last);
}

const Format& format_of(const fs::path& path, bool has_field) {
  const std::string extension = path.extension().string();
  for (const Format& format : kFormats) {
    if (format.extension != extension) continue;
    if (has_field && !format.holds_field)
      throw OutputError(fmt::format("{}: {} holds only a potential, no field (a map with a field must end in {})",
                                    path.string(), extension, known_extensions(true)));
    return format;
  }
  throw OutputError(
      fmt::format("{}: no map format for this name (it must end in {})", path.string(), known_extensions(has_field)));
}

/// Returns the coordinates of a point, for messages.
std::string place_of(const MapGrid& grid, std::size_t number) {
  const auto nx = static_cast<std::size_t>(grid.points.x), ny = static_cast<std::size_t>(grid.points.y);
  const auto place = [](std::size_t i) { return static_cast<std::int32_t>(i); };
  const Vec3<double> x = grid.at(place(number % nx), place(number / nx % ny), place(number / nx / ny));
  return fmt::format("({}, {}, {})", x.x, x.y, x.z);
}

void require_finite(const fs::path& path, const PotentialMap& map) {
  for (std::size_t p = 0; p < map.potential.size(); ++p)
    if (!std::isfinite(map.potential[p]))
      throw OutputError(fmt::format("{}: the potential is {} at {} (a map file holds finite numbers)", path.string(),
                                    map.potential[p], place_of(map.grid, p)));
  for (std::size_t p = 0; p < map.field.size(); ++p)
    if (!is_finite(map.field[p]))
      throw OutputError(fmt::format("{}: the field is not finite at {} (a map file holds finite numbers)",
                                    path.string(), place_of(map.grid, p)));
}

/// Rejects an invalid grid, for which files would be inconsistent.
void require_grid(const fs::path& path, const PotentialMap& map) {
  const MapGrid& grid = map.grid;
  const bool has_points = grid.points.x > 0 && grid.points.y > 0 && grid.points.z > 0;
  const bool has_spacing = is_finite(grid.spacing) && grid.spacing.x > 0 && grid.spacing.y > 0 && grid.spacing.z > 0;
  if (!has_points || !has_spacing || !is_finite(grid.origin))
    throw OutputError(path.string() +
                      ": the map has no grid (points and spacings must be positive, the origin finite)");
  const std::size_t n = grid.n_points();
  if (map.potential.size() != n || (!map.field.empty() && map.field.size() != n))
    throw OutputError(fmt::format("{}: the map has {} values of the potential and {} of the field for {} points",
                                  path.string(), map.potential.size(), map.field.size(), n));
}

}  // namespace

std::vector<std::string_view> map_extensions() {
  std::vector<std::string_view> extensions;
  for (const Format& format : kFormats) extensions.push_back(format.extension);
  return extensions;
}

void require_map_format(const fs::path& path, bool has_field) { format_of(path, has_field); }

void write_map_file(const fs::path& path, const PotentialMap& map, const MapAtoms& atoms, bool overwrite) {
  const Format& format = format_of(path, !map.field.empty());
  require_grid(path, map);
  require_finite(path, map);
  write_atomically(path, overwrite, [&](FileWriter& writer) { format.write(writer, map, atoms); });
}

}  // namespace dropmd

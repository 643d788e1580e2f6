#include "outputs/structures/structure_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/alternatives.h"
#include "core/errors.h"
#include "outputs/files/atomic_file.h"
#include "outputs/structures/droplet_file.h"
#include "outputs/structures/extended_xyz.h"
#include "outputs/structures/gro_file.h"

namespace dropmd {
namespace {

double radius_about_origin(const Particles& particles) {
  double radius = 0;
  for (const Vec3<double>& x : particles.position) radius = std::max(radius, norm(x));
  return radius > 0 ? radius : 1.0;  // the radius in a droplet file is positive
}

void write_drop(FileWriter& writer, const StructureView& structure) {
  const double radius = structure.radius ? *structure.radius : radius_about_origin(structure.particles);
  write_droplet(writer, structure.title, radius, structure.particles);
}

void write_xyz(FileWriter& writer, const StructureView& structure) {
  write_frame(writer, structure.particles, structure.units,
              {.step = structure.step, .time = structure.time, .radius = structure.radius});
}

void write_gro_structure(FileWriter& writer, const StructureView& structure) {
  write_gro(writer, {.text = structure.title, .time = structure.time, .step = structure.step}, structure.units,
            structure.particles, structure.names, structure.gro_decimals.value_or(kGroDecimals));
}

struct Format {
  std::string_view extension;
  void (*write)(FileWriter&, const StructureView&);
  std::string_view drops;  ///< properties of a run that the format drops
};

/// One line per format.
constexpr std::array kFormats{
    Format{".drop", write_drop, "velocities, masses and species"},
    Format{".xyz", write_xyz, ""},
    Format{".gro", write_gro_structure, "charges and masses"},
};

const Format& format_of(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  for (const Format& format : kFormats)
    if (format.extension == extension) return format;
  throw OutputError(fmt::format("{}: no structure format for this name (it must end in {})", path.string(),
                                alternatives(written_structure_extensions())));
}

}  // namespace

std::vector<std::string_view> written_structure_extensions() {
  std::vector<std::string_view> extensions;
  for (const Format& format : kFormats) extensions.push_back(format.extension);
  return extensions;
}

void require_structure_format(const std::filesystem::path& path) { format_of(path); }

std::string_view structure_format_drops(const std::filesystem::path& path) { return format_of(path).drops; }

void write_structure_file(const std::filesystem::path& path, const StructureView& structure, bool overwrite) {
  const Format& format = format_of(path);
  write_atomically(path, overwrite, [&](FileWriter& writer) { format.write(writer, structure); });
}

}  // namespace dropmd

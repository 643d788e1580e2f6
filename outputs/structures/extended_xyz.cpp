#include "outputs/structures/extended_xyz.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "core/ase_units.h"

namespace dropmd {

namespace {

/// The columns that the particles have.
struct Columns {
  bool velocity, charge, mass;
  double momentum = 0;  ///< of a unit of mass at a unit of velocity; 0: none are written

  Columns(const Particles& particles, const Units* units)
      : velocity(!particles.velocity.empty()), charge(!particles.charge.empty()), mass(!particles.mass.empty()) {
    if (velocity && mass && units != nullptr) momentum = units->system == UnitSystem::real ? kAseTime : 1;
  }
  bool momenta() const { return momentum > 0; }

  std::string properties() const {
    return fmt::format("species:S:1:pos:R:3{}{}{}{}{}{}", velocity ? ":velo:R:3" : "", charge ? ":Charge:R:1" : "",
                       mass ? ":mass:R:1" : "", momenta() ? ":momenta:R:3" : "", charge ? ":initial_charges:R:1" : "",
                       mass ? ":masses:R:1" : "");
  }
};

std::string comment_line(const Columns& columns, const Units* units, const FrameHeader& header) {
  std::string text = fmt::format("Properties={} pbc=\"F F F\"", columns.properties());
  if (header.time) text += fmt::format(" Time={}", *header.time);
  if (header.step) text += fmt::format(" step={}", *header.step);
  if (units != nullptr) text += fmt::format(" units={}", units->name);
  if (header.radius) text += fmt::format(" radius={}", *header.radius);
  return text;
}

void append_atom(fmt::memory_buffer& line, const Particles& particles, std::size_t i, const Columns& columns) {
  const auto out = fmt::appender(line);
  const Vec3<double>& x = particles.position[i];
  fmt::format_to(out, FMT_COMPILE("{} {} {} {}"), particles.species_names[particles.species[i]], x.x, x.y, x.z);
  if (columns.velocity) {
    const Vec3<double>& v = particles.velocity[i];
    fmt::format_to(out, FMT_COMPILE(" {} {} {}"), v.x, v.y, v.z);
  }
  if (columns.charge) fmt::format_to(out, FMT_COMPILE(" {}"), particles.charge[i]);
  if (columns.mass) fmt::format_to(out, FMT_COMPILE(" {}"), particles.mass[i]);
  if (columns.momenta()) {
    const Vec3<double> p = (columns.momentum * particles.mass[i]) * particles.velocity[i];
    fmt::format_to(out, FMT_COMPILE(" {:.9g} {:.9g} {:.9g}"), p.x, p.y, p.z);
  }
  if (columns.charge) fmt::format_to(out, FMT_COMPILE(" {}"), particles.charge[i]);
  if (columns.mass) fmt::format_to(out, FMT_COMPILE(" {}"), particles.mass[i]);
  line.push_back('\n');
}

}  // namespace

void write_frame(FileWriter& writer, const Particles& particles, const Units* units, const FrameHeader& header) {
  const Columns columns(particles, units);
  writer.write(fmt::format("{}\n{}\n", particles.size(), comment_line(columns, units, header)));
  fmt::memory_buffer line;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    line.clear();
    append_atom(line, particles, i, columns);
    writer.write(std::string_view(line.data(), line.size()));
  }
  writer.flush();
}

}  // namespace dropmd

#include "outputs/extended_xyz.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string_view>

namespace dropmd {

void write_frame(FileWriter& writer, const Particles& particles, const Units& units, const FrameHeader& header) {
  writer.write(
      fmt::format("{}\nProperties=species:S:1:pos:R:3:velocity:R:3:charge:R:1{} pbc=\"F F F\" Time={} step={} units={}",
                  particles.size(), header.masses ? ":mass:R:1" : "", header.time, header.step, units.name));
  if (header.radius) writer.write(fmt::format(" radius={}", *header.radius));
  writer.write("\n");

  fmt::memory_buffer line;
  const auto out = fmt::appender(line);
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const Vec3<double>& x = particles.position[i];
    const Vec3<double>& v = particles.velocity[i];
    line.clear();
    fmt::format_to(out, FMT_COMPILE("{} {} {} {} {} {} {} {}"), particles.species_names[particles.species[i]], x.x, x.y,
                   x.z, v.x, v.y, v.z, particles.charge[i]);
    if (header.masses) fmt::format_to(out, FMT_COMPILE(" {}"), particles.mass[i]);
    line.push_back('\n');
    writer.write(std::string_view(line.data(), line.size()));
  }
  writer.flush();
}

}  // namespace dropmd

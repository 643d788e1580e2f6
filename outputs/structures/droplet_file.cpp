#include "outputs/structures/droplet_file.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace dropmd {

void write_droplet(FileWriter& writer, std::string_view title, double radius, const Particles& particles) {
  std::string title_line(title);
  std::replace_if(
      title_line.begin(), title_line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  writer.write(fmt::format("{}\n{}\n{}\n", title_line, particles.size(), radius));

  fmt::memory_buffer line;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const Vec3<double>& x = particles.position[i];
    line.clear();
    fmt::format_to(fmt::appender(line), FMT_COMPILE("{} {} {} {}\n"), x.x, x.y, x.z,
                   particles.charge.empty() ? 0.0 : particles.charge[i]);
    writer.write(std::string_view(line.data(), line.size()));
  }
  writer.flush();
}

}  // namespace dropmd

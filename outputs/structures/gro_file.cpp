#include "outputs/structures/gro_file.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace dropmd {
namespace {

/// Factors from the run's units.
struct Scales {
  double length, velocity, time;
};
constexpr Scales kReal{0.1, 100, 0.001};  // A, A/fs, fs in nm, nm/ps, ps
constexpr Scales kReduced{1, 1, 1};

/// Stands in titles before the units, if these are lj.
constexpr std::string_view kUnitsWord = "units= ";

std::size_t width_of(const std::vector<Vec3<double>>& vectors, double scale, int decimals) {
  double least = 0, most = 0;
  for (const Vec3<double>& v : vectors) {
    least = std::min({least, scale * v.x, scale * v.y, scale * v.z});
    most = std::max({most, scale * v.x, scale * v.y, scale * v.z});
  }
  return std::max(fmt::formatted_size("{:.{}f}", least, decimals), fmt::formatted_size("{:.{}f}", most, decimals));
}

/// The text is cut where it would say the units itself.
std::string title_line(const GroTitle& title, bool is_reduced) {
  std::string line(title.text.substr(0, title.text.find(kUnitsWord)));
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  while (line.ends_with(' ')) line.pop_back();
  if (is_reduced) line += fmt::format(" {}lj", kUnitsWord);
  // As GROMACS' programs write and look for it.
  if (title.time) line += fmt::format(" t= {:.5f}", *title.time * (is_reduced ? kReduced : kReal).time);
  if (title.step) line += fmt::format(" step= {}", *title.step);
  return line.starts_with(' ') ? line.substr(1) : line;
}

std::string_view cut(std::string_view name) { return name.substr(0, 5); }

}  // namespace

void write_gro(FileWriter& writer, const GroTitle& title, const Units* units, const Particles& particles,
               const AtomNames* names, int decimals) {
  constexpr std::uint32_t kNumbers = 100000;
  const bool is_reduced = units != nullptr && units->system == UnitSystem::lj;
  const Scales scales = is_reduced ? kReduced : kReal;
  // As in GROMACS, columns are five wider than the decimals.
  const std::size_t width =
      std::max({static_cast<std::size_t>(decimals) + 5, width_of(particles.position, scales.length, decimals),
                width_of(particles.velocity, scales.velocity, decimals + 1)});
  writer.write(fmt::format("{}\n{:5}\n", title_line(title, is_reduced), particles.size()));
  fmt::memory_buffer line;
  const auto append = [&](const Vec3<double>& v, double scale, int digits) {
    for (const double value : {v.x, v.y, v.z})
      fmt::format_to(fmt::appender(line), "{:{}.{}f}", scale * value, width, digits);
  };
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const std::uint32_t id = particles.id_of(i);
    const std::string& species = particles.species_names[particles.species[i]];
    const std::int64_t residue = names != nullptr ? names->residue_number[id - 1] : std::int64_t{id};
    line.clear();
    fmt::format_to(fmt::appender(line), FMT_COMPILE("{:5}{:<5}{:>5}{:5}"), residue % kNumbers,
                   cut(names != nullptr ? names->residue_name[id - 1] : species),
                   cut(names != nullptr ? names->atom_name[id - 1] : species), id % kNumbers);
    append(particles.position[i], scales.length, decimals);
    if (!particles.velocity.empty()) append(particles.velocity[i], scales.velocity, decimals + 1);
    line.push_back('\n');
    writer.write(std::string_view(line.data(), line.size()));
  }
  writer.write("   0.00000   0.00000   0.00000\n");
  writer.flush();
}

}  // namespace dropmd

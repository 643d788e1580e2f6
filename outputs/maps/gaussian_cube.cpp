#include "outputs/maps/gaussian_cube.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <gemmi/elem.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "outputs/files/one_line.h"

namespace dropmd {
namespace {

/// Å per Bohr, CODATA 2018.
constexpr double kAngstromsPerBohr = 0.529177210903;
/// Limit for a comment line: a line of Fortran programs; VMD reads 255 bytes.
constexpr std::size_t kMostTitleBytes = 80;
constexpr int kValuesPerLine = 6;

/// Returns the atomic number of a species whose name is a chemical symbol, in letters of any case; 0: not a known
/// element.
int atomic_number(const std::string& species) {
  if (species.empty() || species.size() > 2) return 0;
  for (const char c : species)
    if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'))) return 0;
  return gemmi::Element(species).atomic_number();
}

/// Appends columns of 5 and 12 characters; a wider value has a space before it.
void append_row(fmt::memory_buffer& text, std::size_t count, const Vec3<double>& x) {
  fmt::format_to(fmt::appender(text), FMT_COMPILE("{:5} {:11.6f} {:11.6f} {:11.6f}\n"), count, x.x, x.y, x.z);
}

}  // namespace

void write_gaussian_cube(FileWriter& writer, const PotentialMap& map, const MapAtoms& atoms) {
  const MapGrid& grid = map.grid;
  const bool in_bohr = map.length == "A";
  const double unit = in_bohr ? 1 / kAngstromsPerBohr : 1.0;
  const auto count = [](std::int32_t n) { return static_cast<std::size_t>(n); };

  writer.write(
      one_line(fmt::format("potential in {}, lengths in {}: {}", map.unit, in_bohr ? "Bohr" : map.length, map.title),
               kMostTitleBytes));
  // ASE takes the order of axes from these words, every third of them.
  writer.write("\nOUTER LOOP: X, MIDDLE LOOP: Y, INNER LOOP: Z\n");

  fmt::memory_buffer text;
  append_row(text, std::max(atoms.position.size(), std::size_t{1}), grid.origin * unit);
  append_row(text, count(grid.points.x), {grid.spacing.x * unit, 0, 0});
  append_row(text, count(grid.points.y), {0, grid.spacing.y * unit, 0});
  append_row(text, count(grid.points.z), {0, 0, grid.spacing.z * unit});
  writer.write(std::string_view(text.data(), text.size()));

  std::vector<int> element;
  for (const std::string& name : atoms.species_names) element.push_back(atomic_number(name));
  const auto write_atom = [&](int atom_element, double charge, const Vec3<double>& x) {
    text.clear();
    fmt::format_to(fmt::appender(text), FMT_COMPILE("{:5} {:11.6f} {:11.6f} {:11.6f} {:11.6f}\n"), atom_element, charge,
                   x.x * unit, x.y * unit, x.z * unit);
    writer.write(std::string_view(text.data(), text.size()));
  };
  for (std::size_t i = 0; i < atoms.position.size(); ++i)
    write_atom(atoms.species.empty() ? 0 : element[atoms.species[i]], atoms.charge.empty() ? 0.0 : atoms.charge[i],
               atoms.position[i]);
  // VMD takes a file without atoms for one with orbitals, whose numbers follow.
  if (atoms.position.empty()) write_atom(0, 0, grid.origin);

  for (std::int32_t i = 0; i < grid.points.x; ++i)
    for (std::int32_t j = 0; j < grid.points.y; ++j)
      for (std::int32_t k = 0; k < grid.points.z; ++k) {
        text.clear();
        fmt::format_to(fmt::appender(text), FMT_COMPILE(" {:12.5E}"), map.potential[grid.number(i, j, k)]);
        if ((k + 1) % kValuesPerLine == 0 || k + 1 == grid.points.z) text.push_back('\n');
        writer.write(std::string_view(text.data(), text.size()));
      }
}

}  // namespace dropmd

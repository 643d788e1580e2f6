#include <fmt/core.h>

#include "inputs/text_source.h"
#include "inputs/topologies/gromacs/force_field/force_field_sections.h"
#include "inputs/topologies/topology_units.h"

namespace dropmd::gromacs {

// The manual does not say so, but φ of the first four atoms is the outer index and ψ of the last four the inner one,
// both from −180° (GROMACS' setup_cmap). CmapGrid stores them in this way.
void read_cmap_type_line(const TopologyLine& line, ForceField& field) {
  constexpr std::int64_t kLargest = 360;  // steps of a degree
  WordReader words(line, "i j k l m func size size values");
  const TextPlace place = words.peek().place;
  TypeKey types{};
  for (std::uint32_t& type : types) type = read_bonded_type(words, field);
  read_function(words, Directive::cmap);
  const std::int64_t size = words.integer("the size of the grid", 2, kLargest);
  const TopologyWord second = words.peek();
  if (words.integer("the size of the grid", 2, kLargest) != size)
    words.fail(second,
               fmt::format("the grid has {} and {} angles (the numbers must be equal)", size, shown(second.text)));
  const auto n_values = static_cast<std::size_t>(size * size);
  if (words.n_left() != n_values)
    words.fail(place,
               fmt::format("a grid of {} by {} angles needs {} values, but {} are given (continue lines with \\)", size,
                           size, n_values, words.n_left()));
  CmapGrid grid;
  grid.size = static_cast<std::uint32_t>(size);
  grid.energy.reserve(n_values);
  for (std::size_t k = 0; k < n_values; ++k) grid.energy.push_back(kcal_of(words.number("a value of the grid")));
  // The first grid for the types counts, as in GROMACS.
  if (field.cmap_types.emplace(types, field.cmap_grids.size()).second) field.cmap_grids.push_back(std::move(grid));
}

}  // namespace dropmd::gromacs

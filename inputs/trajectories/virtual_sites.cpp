#include "inputs/trajectories/virtual_sites.h"

#include <algorithm>
#include <cstddef>
#include <gemmi/elem.hpp>
#include <string>
#include <vector>

#include "inputs/structures/species_index.h"

namespace dropmd {
namespace {

bool is_symbol(const std::string& species) {
  const gemmi::Element element(species);
  return element != gemmi::El::X && species == element.name();
}

}  // namespace

void name_virtual_sites(Structure& structure) {
  const std::size_t n = structure.residue_number.size();
  std::vector<bool> is_element;
  for (const std::string& name : structure.species_names) is_element.push_back(is_symbol(name));
  const auto has_element = [&](std::size_t i) { return is_element[structure.species[i]]; };
  std::vector<std::size_t> sites;
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    const std::size_t before = sites.size();
    for (end = begin; end < n && structure.residue_number[end] == structure.residue_number[begin] &&
                      structure.residue_name[end] == structure.residue_name[begin];
         ++end)
      if (!has_element(end)) sites.push_back(end);
    if (sites.size() - before == end - begin) sites.resize(before);
  }
  if (sites.empty()) return;

  std::vector<std::string> species;
  for (const std::uint32_t s : structure.species) species.push_back(structure.species_names[s]);
  for (const std::size_t i : sites) species[i] = "X";
  structure.species.clear();
  structure.species_names.clear();
  SpeciesIndex index(structure);
  for (const std::string& name : species) index.add_atom(name);
}

}  // namespace dropmd

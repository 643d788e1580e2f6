#include "inputs/structures/molecule_files.h"

#include <fmt/core.h>

namespace dropmd {

Structure empty_molecule_structure(const TextSource& source) {
  Structure structure;
  structure.file = source.file;
  structure.units = UnitSystem::real;
  structure.units_place = {source.file};
  return structure;
}

std::string box_warning(const SourcePlace& place, std::string_view box) {
  return fmt::format("{}: the {} is ignored, as boundaries are open (molecules must be whole)", place.text(), box);
}

}  // namespace dropmd

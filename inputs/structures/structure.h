#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/units.h"
#include "core/vec3.h"

namespace dropmd {

/// What a structure file says, nothing added. A vector that the file does not give is empty; the others have
/// position.size() elements.
struct Structure {
  std::string title;
  std::vector<Vec3<double>> position;
  std::vector<Vec3<double>> velocity;
  std::vector<Vec3<double>> momentum;  ///< units real: ASE's (core/ase_units.h); lj: mass times velocity
  std::vector<double> charge;
  std::vector<double> mass;
  std::vector<std::uint32_t> species;      ///< index into species_names
  std::vector<std::string> species_names;  ///< in order of first appearance
  std::optional<double> radius;            ///< the droplet's radius
  std::optional<double> time;
  std::optional<UnitSystem> units;  ///< none: the file does not say
  SourcePlace units_place{};

  std::string file;                   ///< as the user wrote it; empty: of no file
  std::size_t first_atom_line = 0;    ///< the atoms stand on this line and those below, one on each
  std::vector<std::string> warnings;  ///< to be shown to the user once

  /// Of an atom, counted from 0; of a structure without file it has no file either.
  SourcePlace place_of_atom(std::size_t index) const {
    return {file, first_atom_line > 0 ? first_atom_line + index : 0, first_atom_line > 0 ? std::size_t{1} : 0};
  }
};

}  // namespace dropmd

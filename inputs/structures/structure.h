#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/particle_fields.h"
#include "core/units.h"
#include "core/vec3.h"

namespace dropmd {

/// The contents of a structure file, or the atoms that a program supplies: position, velocity, charge, mass and species
/// (core/particle_fields.h). A per-atom vector that is not known is empty; the others have n_atoms = position.size()
/// elements, in the order of the file. Units are the run's (core/units.h).
struct Structure : FieldVectors<IsInStructure> {
  std::string title;  ///< one line; empty: none
  /// [n_atoms][3] instead of velocities, or empty. Units real: u Å per kAseTime (core/ase_units.h); lj: mass
  /// length/time.
  std::vector<Vec3<double>> momentum;
  std::vector<std::string> species_names;    ///< in order of first appearance
  std::vector<std::string> atom_name;        ///< [n_atoms] name within the residue, such as "OW"; empty: none
  std::vector<std::string> residue_name;     ///< [n_atoms] name of the atom's residue, such as "SOL"; empty: none
  std::vector<std::int32_t> residue_number;  ///< [n_atoms] as in the file, where numbers may repeat; empty: none
  std::optional<double> radius;              ///< radius of the droplet, length; nullopt: not given
  std::optional<double> time;                ///< time of the frame; nullopt: not given
  std::optional<UnitSystem> units;           ///< units of all values; nullopt: the file does not say
  SourcePlace units_place{};                 ///< where the file names its units

  std::string file;  ///< path as the user wrote it; empty: the structure is not from a file
  /// Number of the line of the first atom; the others follow, one per line. 0: no file.
  std::size_t first_atom_line = 0;
  /// [n_atoms] number of each atom's line, where atoms are not on consecutive lines; empty: they are.
  std::vector<std::uint32_t> atom_line;
  std::vector<std::string> warnings;  ///< to be shown to the user once

  /// Returns the place of an atom in the file, for messages; index counts from 0. Without a file it is empty.
  SourcePlace place_of_atom(std::size_t index) const {
    if (!atom_line.empty()) return {file, atom_line[index], 1};
    return {file, first_atom_line > 0 ? first_atom_line + index : 0, first_atom_line > 0 ? std::size_t{1} : 0};
  }
};

}  // namespace dropmd

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/particle_fields.h"
#include "core/vec3.h"

namespace dropmd {

/// The state of all atoms in fp64: position, velocity, charge, mass, species, pair_species, groups and
/// id (core/particle_fields.h), each with n_atoms elements. Atoms are in the order in which they entered the model, at
/// first that of the structure. Units are the run's (core/units.h).
struct Particles : FieldVectors<EveryField> {
  std::vector<std::string> species_names;  ///< names of the species, at least one
  /// Id of the next atom to be added, which no atom has had before; 0: n_atoms + 1.
  std::uint32_t next_id = 0;

  /// Number of atoms.
  std::size_t size() const { return position.size(); }
  /// Id of the atom with index i.
  std::uint32_t id_of(std::size_t i) const { return id.empty() ? static_cast<std::uint32_t>(i + 1) : id[i]; }
  /// Whether the atom with index i belongs to a group.
  bool is_in(std::size_t i, field::AtomGroup group) const { return groups.empty() || (groups[i] & group) != 0; }
  /// The id that the next added atom gets.
  std::uint32_t first_unused_id() const { return next_id > 0 ? next_id : static_cast<std::uint32_t>(size() + 1); }
};

/// Returns the number of atoms that have a mass: all but virtual sites. mass: [n_atoms].
inline std::size_t count_with_mass(std::span<const double> mass) {
  return static_cast<std::size_t>(std::count_if(mass.begin(), mass.end(), [](double m) { return m > 0; }));
}

/// Returns whether `id`, which has the form of Particles::id, lists the ids of these particles.
inline bool are_ids_of(std::span<const std::uint32_t> id, const Particles& particles) {
  if (!id.empty() && id.size() != particles.size()) return false;
  for (std::size_t i = 0; i < particles.size(); ++i)
    if (particles.id_of(i) != (id.empty() ? i + 1 : id[i])) return false;
  return true;
}

}  // namespace dropmd

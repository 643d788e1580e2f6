#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/particle_fields.h"
#include "core/vec3.h"

namespace dropmd {

/// The particle state, fp64, atoms in the order in which they entered the model: at first that of the structure file.
/// The fields have n_atoms elements; units are the run's (core/units.h).
struct Particles : FieldVectors<EveryField> {
  std::vector<std::string> species_names;  ///< at least one
  std::uint32_t next_id = 0;               ///< that of the next atom to be added, never used before; 0: n_atoms + 1

  std::size_t size() const { return position.size(); }
  std::uint32_t id_of(std::size_t i) const { return id.empty() ? static_cast<std::uint32_t>(i + 1) : id[i]; }
  std::uint32_t first_unused_id() const { return next_id > 0 ? next_id : static_cast<std::uint32_t>(size() + 1); }
};

/// Whether atoms with these ids, as Particles::id, are the particles.
inline bool are_ids_of(std::span<const std::uint32_t> id, const Particles& particles) {
  if (!id.empty() && id.size() != particles.size()) return false;
  for (std::size_t i = 0; i < particles.size(); ++i)
    if (particles.id_of(i) != (id.empty() ? i + 1 : id[i])) return false;
  return true;
}

}  // namespace dropmd

#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/particles.h"

namespace dropmd {

/// The atoms of a map, as views of data that others own. Spans have n_atoms elements, or none.
struct MapAtoms {
  std::span<const Vec3<double>> position{};
  std::span<const double> charge{};
  std::span<const std::uint32_t> species{};      ///< index into species_names
  std::span<const std::string> species_names{};  ///< chemical symbols, as far as a format wants elements
};

/// Returns views of the particles' arrays, which must outlive them.
inline MapAtoms map_atoms_of(const Particles& particles) {
  return {particles.position, particles.charge, particles.species, particles.species_names};
}

}  // namespace dropmd

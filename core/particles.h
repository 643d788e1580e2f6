#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/vec3.h"

namespace dropmd {

/// The particle state, fp64, atoms in the order of the structure file (atom number = index + 1).
/// All vectors have n_atoms elements; units are the run's (core/units.h).
struct Particles {
  std::vector<Vec3<double>> position;
  std::vector<Vec3<double>> velocity;
  std::vector<double> mass;
  std::vector<double> charge;
  std::vector<std::uint32_t> species;      ///< index into species_names
  std::vector<std::string> species_names;  ///< at least one

  std::size_t size() const { return position.size(); }
};

}  // namespace dropmd

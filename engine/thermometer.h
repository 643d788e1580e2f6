#pragma once

#include <cstddef>
#include <span>

#include "core/ordered_sum.h"
#include "core/units.h"
#include "core/vec3.h"

namespace dropmd {

/// Returns Σ ½ m v² in energy units. mass: [n], velocity: [n][3].
inline double kinetic_energy(Cpu cpu, std::span<const double> mass, std::span<const Vec3<double>> velocity,
                             const Units& units) {
  const double twice =
      ordered_sum<double>(cpu, mass.size(), [&](std::size_t i) { return mass[i] * dot(velocity[i], velocity[i]); });
  return 0.5 * twice / units.acceleration;
}

/// Returns 2K/(k_B n_dof); 0 without degrees of freedom.
inline double temperature_of(double kinetic, std::size_t n_dof, const Units& units) {
  return n_dof == 0 ? 0.0 : 2.0 * kinetic / (units.boltzmann * static_cast<double>(n_dof));
}

}  // namespace dropmd

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/units.h"
#include "core/vec3.h"

namespace dropmd {

/// The constraints that velocities satisfy.
struct VelocityConstraints {
  std::size_t number = 0;  ///< of degrees of freedom that they take away
  /// Removes the velocities along the constraints, [n][3].
  std::function<void(std::span<Vec3<double>>)> remove = [](std::span<Vec3<double>>) {};
};

/// Returns velocities [n][3] of the Maxwell-Boltzmann distribution, without linear momentum, scaled so that 2K/(k_B
/// n_dof) is the temperature, with n_dof = 3n − 3 less the constraints. Each atom has its own random numbers: its
/// velocity depends on the others only through these corrections. mass: [n]; virtual sites, whose mass is 0, are at
/// rest and do not count. A single atom is at rest.
std::vector<Vec3<double>> maxwell_boltzmann(std::span<const double> mass, double temperature, const Units& units,
                                            std::uint64_t seed, const VelocityConstraints& constraints = {});

}  // namespace dropmd

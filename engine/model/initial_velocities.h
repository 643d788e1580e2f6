#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/units.h"
#include "core/vec3.h"

namespace dropmd {

/// Returns velocities [n][3] of the Maxwell-Boltzmann distribution, without linear momentum, scaled so that 2K/(k_B
/// n_dof) is the temperature, with n_dof = 3n − 3. Each atom has its own random numbers: its velocity depends on the
/// others only through these two corrections. mass: [n]. A single atom is at rest.
std::vector<Vec3<double>> maxwell_boltzmann(std::span<const double> mass, double temperature, const Units& units,
                                            std::uint64_t seed);

}  // namespace dropmd

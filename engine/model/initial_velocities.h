#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/units.h"
#include "core/vec3.h"

namespace dropmd {

/// Velocities of the Maxwell-Boltzmann distribution, their linear momentum removed, scaled so that 2K/(k_B n_dof) is
/// the temperature, n_dof = 3n − 3. One number stream per atom: the velocities of an atom do not depend on the others
/// but for these two corrections. mass: [n]; returns [n][3]; a single atom is at rest.
std::vector<Vec3<double>> maxwell_boltzmann(std::span<const double> mass, double temperature, const Units& units,
                                            std::uint64_t seed);

}  // namespace dropmd

#pragma once

#include "core/particles.h"
#include "inputs/structures/structure.h"

/// Atoms may be made in code. What no structure file could say is refused here.
namespace dropmd {

/// Throws std::invalid_argument for an array of the wrong length, a species without a name, a number that is not
/// finite, and a mass or radius that is not positive.
void require_possible_structure(const Structure& structure);

/// Likewise for the particles of a model; whether positions and velocities are finite is for the steps to say
/// (engine/physics_guard.h).
void require_possible_particles(const Particles& particles);

}  // namespace dropmd

#pragma once

#include "core/particles.h"
#include "engine/model/system.h"
#include "inputs/structures/structure.h"

/// Checks atoms that are made in code and rejects what no structure file could contain.
namespace dropmd {

/// Throws std::invalid_argument for an array of the wrong length, a species without a name, a number that is not
/// finite, and a mass or radius that is not positive. may_have_sites: whether masses may be 0, those of virtual sites.
void require_possible_structure(const Structure& structure, bool may_have_sites = false);

/// The same for the particles of a model, except that positions and velocities are checked by the steps
/// (engine/physics_guard.h).
void require_possible_particles(const Particles& particles);

/// The same for a whole model: its particles, and the indices by which its other parts refer to them.
void require_possible_system(const System& system);

}  // namespace dropmd

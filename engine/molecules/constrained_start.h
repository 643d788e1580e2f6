#pragma once

#include <span>

#include "core/particles.h"
#include "core/vec3.h"
#include "engine/model/system.h"
#include "integrators/constraints/cpu_constraints.h"

/// The start of a run with molecules: files give positions to a few digits, and velocities that satisfy no constraint.
namespace dropmd {

/// Moves positions to satisfy the constraints, along the directions that the constrained distances have, and removes
/// the velocities along them. particles: for messages; position, velocity: [n_atoms][3]. Throws PhysicsError for a
/// cluster without a solution, and for one whose solution is more than 1 Å away.
void satisfy(const CpuConstraints& constraints, const Particles& particles, std::span<Vec3<double>> position,
             std::span<Vec3<double>> velocity);

/// The same for the atoms of a system at these positions instead of its own. Its virtual sites are then placed; their
/// velocities become zero, since no step uses them.
void satisfy_constraints(const System& system, std::span<Vec3<double>> position, std::span<Vec3<double>> velocity);

/// Removes from velocities, [n_atoms][3], what the constraints of a system forbid at positions that satisfy them. The
/// velocities of virtual sites become zero. Throws as satisfy().
void constrain_velocities(const System& system, std::span<const Vec3<double>> position,
                          std::span<Vec3<double>> velocity);

/// Places the virtual sites of a system.
void place_virtual_sites(System& system);

}  // namespace dropmd

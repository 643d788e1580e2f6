#pragma once

#include <span>

#include "core/particles.h"
#include "core/vec3.h"
#include "engine/model/system.h"
#include "integrators/constraints/cpu_constraints.h"

/// The start of a run with molecules: files have positions to a few digits, and velocities that no constraint knows.
namespace dropmd {

/// Moves positions to satisfy the constraints, along the directions that the constrained distances have, and removes
/// the velocities along them. particles: for messages; position, velocity: [n_atoms][3]. Throws PhysicsError for a
/// cluster without a solution.
void satisfy(const CpuConstraints& constraints, const Particles& particles, std::span<Vec3<double>> position,
             std::span<Vec3<double>> velocity);

/// The same for the atoms of a system, whose virtual sites are then placed. Their velocities become zero: no step uses
/// them.
void satisfy_constraints(System& system);

/// Places the virtual sites of a system.
void place_virtual_sites(System& system);

}  // namespace dropmd

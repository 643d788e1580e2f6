#pragma once

#include "core/execution.h"
#include "core/particles.h"
#include "core/run/run_settings.h"
#include "engine/model/system.h"

namespace dropmd {

/// Returns the geometric centre or the centre of mass of all atoms with mass, or the centre of mass of the droplet's
/// members, length; zero for `none` or if there are no such atoms.
Vec3<double> centre_of(Cpu cpu, const Particles& particles, Recenter which);

/// Returns the centre that a run of this system moves to the origin. Unless one is requested, it is `none` if there are
/// force terms that are not invariant under a translation of all atoms (engine/model/invariance.h). Throws
/// std::invalid_argument if one is requested beside such a term of many atoms in a run with a ledger, which books
/// changes of energy only of terms of one atom.
Recenter recentring(const IntegrationSettings& settings, const System& system);

/// Moves the atoms so that the centre is at the origin.
void recenter(Cpu cpu, Particles& particles, Recenter which);

/// Removes the linear momentum, the angular momentum about the centre of mass, or both, by subtracting a rigid motion
/// from the velocities. Atoms on a line or at one point keep the part of the rotation that has no moment of inertia.
/// of_droplet: whether to remove those of the droplet's members alone instead of those of all atoms.
void remove_momentum(Cpu cpu, Particles& particles, RemoveMomentum which, bool of_droplet = false);

/// Returns the number of degrees of freedom that a removal takes away: 3 for the linear, up to 3 for the angular
/// momentum. n_with_mass: number of the atoms that have the momentum.
std::size_t removed_degrees(std::size_t n_with_mass, RemoveMomentum which);

}  // namespace dropmd

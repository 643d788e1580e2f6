#pragma once

#include "core/execution.h"
#include "core/particles.h"
#include "core/run/run_settings.h"
#include "engine/model/system.h"

namespace dropmd {

/// The geometric or the mass centre of all atoms; zero for `none` and without atoms.
Vec3<double> centre_of(Cpu cpu, const Particles& particles, Recenter which);

/// The centre that a run of this system moves to the origin: none, unless it was asked for, beside force terms that a
/// translation of all atoms does not leave as they are.
Recenter recentring(const IntegrationSettings& settings, const System& system);

/// Moves the atoms so that the centre is at the origin.
void recenter(Cpu cpu, Particles& particles, Recenter which);

/// Removes the linear momentum, the angular momentum about the mass centre, or both, by a rigid motion subtracted from
/// the velocities. Atoms on one line or at one place keep the part of the rotation that their inertia cannot carry.
void remove_momentum(Cpu cpu, Particles& particles, RemoveMomentum which);

/// Number of degrees of freedom that a removal takes: 3 for the linear, up to 3 for the angular momentum.
std::size_t removed_degrees(const Particles& particles, RemoveMomentum which);

}  // namespace dropmd

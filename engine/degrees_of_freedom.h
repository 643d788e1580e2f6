#pragma once

#include <cstddef>

#include "core/run/run_settings.h"
#include "engine/model/system.h"

namespace dropmd {

/// Returns 3N for the N atoms with mass, less the number of constraints.
std::size_t degrees_before_removal(const System& system);

/// Returns 3N for the N atoms with mass, less the number of constraints and that of the removed components of momentum:
/// linear momentum counts if it is removed during the run or was removed when velocities were drawn, angular momentum
/// if it is removed during the run. An integrator that does not conserve the momentum, such as Langevin's with its
/// noise on every atom, restores what was removed at the start within its relaxation time.
std::size_t degrees_of_freedom(const System& system, const RunSettings& config);

/// Returns the degrees of freedom of the atoms in the bath (Particles::groups). n_dof: degrees_of_freedom(). If the
/// bath acts on the droplet, the momenta that are removed from the droplet do not count; other groups of atoms keep all
/// their degrees.
std::size_t bath_degrees(const System& system, const IntegrationSettings& settings, std::size_t n_dof);

}  // namespace dropmd

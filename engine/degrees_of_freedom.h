#pragma once

#include <cstddef>

#include "core/run/run_settings.h"
#include "engine/model/system.h"

namespace dropmd {

/// Returns 3N of the atoms with mass less the number of constraints.
std::size_t degrees_before_removal(const System& system);

/// Returns 3N of the atoms with mass less the number of constraints and that of removed momenta: the linear momentum if
/// it is removed during the run or was when velocities were drawn, the angular momentum if it is removed during the
/// run. An integrator that does not keep the momentum, such as Langevin's with its noise on every atom, restores within
/// its memory what was removed at the start.
std::size_t degrees_of_freedom(const System& system, const RunSettings& config);

/// Returns the degrees of freedom of the atoms in the bath (Particles::groups). n_dof: degrees_of_freedom(). Where the
/// bath acts on the droplet, the momenta that are removed from it do not count; other parts of the atoms keep all.
std::size_t bath_degrees(const System& system, const IntegrationSettings& settings, std::size_t n_dof);

}  // namespace dropmd

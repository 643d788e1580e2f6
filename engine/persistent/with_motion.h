#pragma once

#include "core/run/run_settings.h"
#include "engine/model/system.h"
#include "integrators/langevin.h"
#include "integrators/velocity_verlet.h"

namespace dropmd {

/// Whether persistent kernels support the integrator.
inline bool has_persistent_motion(const RunSettings& config) {
  return config.integrator.form == VelocityVerlet::form().name || config.integrator.form == Langevin::form().name;
}

/// Calls use(motion) with the integrator, which must be one of these.
template <class Use>
void with_persistent_motion(const System& system, const RunSettings& config, const Use& use) {
  const RunContext run{config.random_seed, 0};
  if (config.integrator.form == VelocityVerlet::form().name)
    use(VelocityVerlet(config.integrator, system.units, run));
  else
    use(Langevin(config.integrator, system.units, run));
}

}  // namespace dropmd

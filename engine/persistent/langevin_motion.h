#pragma once

#include "core/run/run_settings.h"
#include "engine/model/system.h"
#include "integrators/langevin.h"
#include "integrators/velocity_verlet.h"

namespace dropmd {

/// Returns the integrator of a run with velocity Verlet or Langevin dynamics: for atoms without constraints the former
/// is the latter without friction, bit for bit.
inline Langevin langevin_motion(const System& system, const RunSettings& config) {
  FormChoice choice = config.integrator;
  if (choice.form == VelocityVerlet::form().name)
    choice = {"langevin", {{"timestep", choice.at("timestep")}, {"temperature", 0}, {"friction", 0}}};
  return {choice, system.units, RunContext{config.random_seed, 0}};
}

}  // namespace dropmd

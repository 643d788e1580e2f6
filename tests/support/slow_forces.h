#pragma once

#include <optional>
#include <random>

#include "tests/support/fcc_ball.h"
#include "tests/support/short_run.h"

/// Runs with a mesh that is computed at outer steps alone.
namespace dropmd {

/// A charged droplet whose neighbours have unlike charges, at rest: an fcc ball with small random displacements.
inline Structure ions(int shell) {
  ChargedAtoms ball = fcc_ball(shell);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-0.02, 0.02);
  for (std::size_t i = 0; i < ball.size(); ++i) {
    ball.position[i] += Vec3<double>{uniform(random), uniform(random), uniform(random)};
    ball.charge[i] = i % 2 == 0 ? 1.2 : -0.8;
  }
  return structure_of(ball);
}

/// mesh_every: nullopt: the key is left out.
inline RunConfig slow_run(FormChoice integrator, std::int64_t steps, std::optional<int> mesh_every) {
  RunConfig config = lj_run(std::move(integrator), steps);
  config.lennard_jones->treatment = {"force-shift", {{"cutoff", 2.5}}};
  config.coulomb = FormChoice{"exact"};
  config.coulomb_settings.method = CoulombMethod::mesh;
  config.coulomb_settings.accuracy = 1e-4;
  config.coulomb_settings.mesh_cutoff = 2.5;
  config.coulomb_settings.mesh_every = mesh_every;
  config.temperature = 0.4;
  config.precision = Precision::fp64;
  config.backend = Backend::cpu;  // whose prices choose the mesh
  return config;
}

inline FormChoice langevin(double timestep) {
  return {"langevin", {{"timestep", timestep}, {"temperature", 0.4}, {"friction", 1.0}}};
}

}  // namespace dropmd

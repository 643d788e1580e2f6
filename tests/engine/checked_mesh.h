#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/force_errors.h"
#include "engine/force_field.h"
#include "engine/mesh_check.h"
#include "engine/step_loop.h"
#include "inputs/run_file/run_config.h"
#include "tests/support/short_run.h"

/// Runs whose mesh is checked.
namespace dropmd {

/// The accuracy that most tests ask for.
inline constexpr double kAccuracy = 3e-4;

/// Runs in fp64 on the CPU, with a mesh of that accuracy.
inline RunConfig run_of(std::int64_t steps, double accuracy) {
  RunConfig config = lj_run(verlet(0.002), steps);
  config.lennard_jones->treatment = {"force-shift", {{"cutoff", 2.5}}};
  config.coulomb = FormChoice{"exact"};
  config.coulomb_settings = {CoulombMethod::mesh, accuracy};
  config.precision = Precision::fp64;
  config.backend = Backend::cpu;
  return config;
}

inline Method list_method() {
  Method method = fp64_method(1, NeighborMethod::pair_list);
  method.skin = 0.3;
  return method;
}

/// A loop with a check, and what the check said.
struct CheckedLoop {
  CheckedLoop(System& system, const RunConfig& config, std::int64_t every, const RunState* from = nullptr)
      : loop(system, config, list_method(), timings, nullptr, from) {
    loop.check_mesh(MeshCheck(
        [this](std::int64_t step, const std::string& text) { said.push_back(std::to_string(step) + ": " + text); },
        every));
  }

  Timings timings;
  std::vector<std::string> said;
  StepLoop loop;
};

/// The RMS error of the forces on all atoms, relative to the RMS Coulomb force.
inline double measured_error(const System& system, std::span<const Vec3<double>> force) {
  std::vector<std::uint32_t> all = even_sample(system.particles.size(), system.particles.size());
  const auto exact = ForceField(system, exact_method({2})).reference({system.particles.position}, all);
  const ForceErrors errors = force_errors(force, all, exact, Precision::fp64);
  return errors.rms * errors.scale / system.mesh->force;
}

}  // namespace dropmd

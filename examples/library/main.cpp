// A cluster of argon, made in memory: 1000 steps at constant energy, then velocities times 1.5 and 1000 more steps.
#include <cstdio>
#include <vector>

#include "core/errors.h"
#include "engine/library/simulation.h"

int main() try {
  dropmd::Structure argon;
  argon.species_names = {"Ar"};
  for (int i = -4; i <= 4; ++i)  // face-centred cubic, nearest neighbours 3.8 Å apart
    for (int j = -4; j <= 4; ++j)
      for (int k = -4; k <= 4; ++k)
        if ((i + j + k) % 2 == 0 && i * i + j * j + k * k <= 16) argon.position.push_back({2.7 * i, 2.7 * j, 2.7 * k});
  argon.species.assign(argon.position.size(), 0);

  dropmd::RunConfig config;
  config.units = dropmd::UnitSystem::real;  // Å, kcal/mol, g/mol, fs, K
  config.mass = 39.948;
  config.temperature = 40;  // of the initial velocities
  config.lennard_jones = {.epsilon = 0.238, .sigma = 3.405, .treatment = {"force-shift", {{"cutoff", 12}}}};
  config.integrator = {"velocity-verlet", {{"timestep", 5}}};

  dropmd::Simulation cluster(dropmd::build_system(config, argon), config);
  std::puts("step,potential,kinetic,total,temperature");
  for (int step = 0; step <= 2000; step += 100) {
    cluster.step(step - cluster.step_number());
    const dropmd::Energies e = cluster.energies();
    std::printf("%d,%.6f,%.6f,%.6f,%.3f\n", step, e.potential(), e.kinetic, e.total(), cluster.temperature());
    if (step != 1000) continue;
    std::vector<dropmd::Vec3<double>> faster(cluster.velocities().begin(), cluster.velocities().end());
    for (dropmd::Vec3<double>& v : faster) v *= 1.5;
    cluster.set_velocities(faster);
  }
} catch (const dropmd::Error& error) {
  std::fprintf(stderr, "argon_cluster: %s\n", error.what());
  return static_cast<int>(error.status());
}

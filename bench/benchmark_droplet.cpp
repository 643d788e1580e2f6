#include "bench/benchmark_droplet.h"

#include "inputs/run_file/r_min.h"

namespace dropmd {

RunConfig benchmark_config(const RunConfig& choices, bool cut) {
  RunConfig config = choices;
  config.file = "benchmark droplet";
  config.units = UnitSystem::real;
  config.mass = 20;
  config.temperature = 100;
  config.lennard_jones = LennardJonesConfig{.epsilon = 0.2, .sigma = sigma_of_r_min(2.5), .treatment = {"none"}};
  config.coulomb = FormChoice{"exact"};
  if (cut) {
    config.lennard_jones->treatment = {"cut", {{"cutoff", kBenchmarkCutoff}}};
    config.coulomb = FormChoice{"reaction-field", {{"cutoff", kBenchmarkCutoff}, {"dielectric", 1.0}}};
  }
  config.integrator = {"velocity-verlet", {{"timestep", 1.0}}};
  config.recenter_every = 100;
  config.recenter = Recenter::geometric;
  return config;
}

DropletRecipe benchmark_recipe(std::size_t n_atoms) {
  DropletRecipe recipe;
  recipe.atoms = n_atoms;
  recipe.disorder = 0.05;
  return recipe;
}

Structure structure_of(const Droplet& droplet) {
  Structure structure;
  structure.position = droplet.particles.position;
  structure.charge = droplet.particles.charge;
  structure.species = droplet.particles.species;
  structure.species_names = droplet.particles.species_names;
  structure.radius = droplet.radius;
  return structure;
}

}  // namespace dropmd

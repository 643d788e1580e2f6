#pragma once

#include <cstddef>

#include "engine/jobs/water/generate_water.h"
#include "engine/molecules/molecules.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {

/// Returns the system of a run of a generated droplet; sets the run's topology, whose file is removed again.
inline System water_droplet(const WaterComposition& composition, RunConfig& run) {
  WaterRecipe recipe{.composition = composition};
  recipe.radius = liquid_radius(static_cast<double>(composition.molecules()));
  const GeneratedWater water = generate_water(recipe);
  const TempFolder folder;
  run.topology.file = folder.write("water.top", water_topology(recipe.composition, "water"));
  Structure structure;
  structure.position = water.particles.position;
  structure.species = water.particles.species;
  structure.species_names = water.particles.species_names;
  structure.atom_name = water.names.atom_name;
  const auto molecules = read_molecules(run, structure);
  return build_system(run, structure, molecules);
}

/// The same without ions.
inline System water_droplet(const WaterModel& model, std::size_t waters, RunConfig& run) {
  return water_droplet(WaterComposition{.model = model, .waters = waters}, run);
}

}  // namespace dropmd

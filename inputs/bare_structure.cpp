#include "inputs/bare_structure.h"

#include "inputs/form_reader.h"
#include "inputs/r_min.h"

namespace dropmd {

RunConfig bare_structure_config(const std::filesystem::path& structure, const FormCatalog& catalog) {
  constexpr UnitSystem kUnits = UnitSystem::lj;
  const bool is_droplet_file = structure.extension() == ".drop";

  RunConfig config;
  config.file = structure;
  config.structure = structure;
  config.units = kUnits;
  config.mass = 1.0;
  config.lennard_jones = LennardJonesConfig{.epsilon = 0.2,
                                            .sigma = sigma_of_r_min(2.5),
                                            .treatment = form_with_defaults(catalog.lennard_jones, "none", kUnits)};
  config.coulomb = form_with_defaults(catalog.coulomb, "exact", kUnits);
  if (is_droplet_file) {
    config.wall = form_with_defaults(catalog.wall, "quartic", kUnits);
    config.wall->values["stiffness"] = 0.01;
  }
  config.integrator = form_with_defaults(catalog.integrator, "descent", kUnits);
  config.integrator.values["factor"] = 0.01;
  config.steps = 1000;
  config.recenter = Recenter::geometric;
  config.recenter_every = 100;
  config.output_directory = structure.stem().string() + "-out";
  config.final_file = is_droplet_file ? "final.drop" : "final.xyz";
  return config;
}

}  // namespace dropmd

#include "inputs/structures/bare_structure.h"

#include "inputs/run_file/form_reader.h"
#include "inputs/run_file/r_min.h"

namespace dropmd {

RunConfig bare_structure_config(const std::filesystem::path& structure, const FormCatalog& catalog) {
  constexpr UnitSystem kUnits = UnitSystem::lj;

  RunConfig config;
  config.file = structure;
  config.structure = structure;
  config.units = kUnits;
  config.mass = 1.0;
  config.lennard_jones = LennardJonesConfig{.epsilon = 0.2,
                                            .sigma = sigma_of_r_min(2.5),
                                            .treatment = form_with_defaults(catalog.lennard_jones, "none", kUnits)};
  config.coulomb = form_with_defaults(catalog.coulomb, "exact", kUnits);
  config.fields["wall"] = form_with_defaults(fields_of(catalog, "wall"), "quartic", kUnits);
  config.fields["wall"].values["stiffness"] = 0.01;
  config.integrator = form_with_defaults(catalog.integrator, "descent", kUnits);
  config.integrator.values["factor"] = 0.01;
  config.steps = 1000;
  config.recenter = Recenter::geometric;
  config.recenter_every = 100;
  config.output_directory = structure.stem().string() + "-out";
  config.final_file = "final.drop";
  return config;
}

RunConfig charges_alone_config(const std::filesystem::path& structure, UnitSystem units) {
  RunConfig config;
  config.file = structure;
  config.structure = structure;
  config.units = units;
  config.mass = 1.0;
  return config;
}

}  // namespace dropmd

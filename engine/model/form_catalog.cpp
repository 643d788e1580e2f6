#include "engine/model/form_catalog.h"

#include <algorithm>
#include <string>

#include "core/run/map_choices.h"
#include "forces/fields/atom_force_terms.h"
#include "forces/pair/pair_model.h"
#include "integrators/integrator.h"
#include "maps/map_model.h"
#include "outputs/maps/map_file.h"
#include "outputs/structures/structure_file.h"
#include "outputs/trajectories/trajectory_file.h"

namespace dropmd {

namespace {

/// Returns the forms with a cutoff, which has a default in maps.
FormList map_cutoff_forms() {
  FormList forms = map_forms();
  std::erase_if(forms, [](const FormInfo& form) { return form.name == "exact"; });
  for (FormInfo& form : forms)
    for (FormKey& key : form.keys) {
      if (key.name != "cutoff") continue;
      key.required = false;
      key.default_real = default_map_lengths(UnitSystem::real).cutoff;
      key.default_lj = default_map_lengths(UnitSystem::lj).cutoff;
    }
  return forms;
}

std::vector<std::string_view> slow_force_integrators() {
  std::vector<std::string_view> names;
  for (const FormInfo& form : integrator_forms())
    if (allows_slow_forces(FormChoice{std::string(form.name)})) names.push_back(form.name);
  return names;
}

}  // namespace

FormCatalog form_catalog() {
  return {.lennard_jones = lennard_jones_forms(),
          .born_mayer = born_mayer_forms(),
          .coulomb = coulomb_forms(),
          .fields = atom_term_sections(),
          .integrator = integrator_forms(),
          .slow_force_integrators = slow_force_integrators(),
          .map = map_cutoff_forms(),
          .written_structures = written_structure_extensions(),
          .trajectories = trajectory_extensions(),
          .written_maps = map_extensions()};
}

}  // namespace dropmd

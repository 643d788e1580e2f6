#include "engine/catalog.h"

#include "forces/apply_wall.h"
#include "forces/pair_model.h"
#include "integrators/integrator.h"

namespace dropmd {

FormCatalog form_catalog() { return {lennard_jones_forms(), coulomb_forms(), wall_forms(), integrator_forms()}; }

}  // namespace dropmd

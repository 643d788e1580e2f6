#pragma once

#include "core/forms/form.h"
#include "inputs/run_file/mistake_list.h"
#include "inputs/run_file/run_config.h"
#include "inputs/toml/toml_document.h"

namespace dropmd {

/// Reports what does not go with `mesh-every` in [coulomb] (core/outer_steps.h): an integrator without impulses, and
/// intervals that are not multiples of it. The number of steps is left to the run, since an option may set it.
void check_outer_steps(const TomlDocument& document, const FormCatalog& catalog, MistakeList& mistakes,
                       const RunConfig& config);

}  // namespace dropmd

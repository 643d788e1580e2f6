#pragma once

#include "core/forms/form.h"
#include "inputs/run_file/mistake_list.h"
#include "inputs/run_file/run_config.h"
#include "inputs/toml/toml_document.h"

namespace dropmd {

/// Reads [lennard-jones] or [born-mayer], [[species]] and [[pair]] into the config.
///
/// Without either section a species with epsilon, or a pair, implies [lennard-jones] with its defaults: no cutoff,
/// Lorentz-Berthelot mixing. In this case, and if the section is written, every species needs epsilon and sigma (or
/// r-min). Otherwise species provide only mass and charge; with [born-mayer] the parameters are those of the pairs.
void read_van_der_waals_sections(const TomlDocument& document, const FormCatalog& catalog, MistakeList& mistakes,
                                 RunConfig& config);

}  // namespace dropmd

#pragma once

#include "core/form.h"
#include "inputs/run_file/mistake_list.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/toml_document.h"

namespace dropmd {

/// Reads [lennard-jones], [[species]] and [[pair]] into the config; `section` is nullptr if there is no
/// [lennard-jones].
///
/// A species with epsilon, or a pair, implies the section with its defaults: no cutoff, Lorentz-Berthelot mixing. Then,
/// as where the section is written, every species needs epsilon and sigma (or r-min); otherwise species give mass and
/// charge only.
void read_lennard_jones_sections(const TomlDocument& document, const TomlSection* section, const FormList& forms,
                                 MistakeList& mistakes, RunConfig& config);

}  // namespace dropmd

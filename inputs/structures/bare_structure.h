#pragma once

#include <filesystem>

#include "core/forms/form.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// Returns the run that a droplet file alone stands for, which is that of the 2009 program simple_md_gpu: units lj,
/// epsilon 0.2, r_min 2.5, no cutoff, exact Coulomb, descent with factor 0.01 for 1000 steps, the geometric centre
/// moved to the origin every 100 steps, mass 1, and the quartic wall with stiffness 0.01 at the droplet's radius.
/// Output goes to the folder STEM-out in the working directory, the final structure to final.drop there.
RunConfig bare_structure_config(const std::filesystem::path& structure, const FormCatalog& catalog);

/// Returns a run without forces and with mass 1, for commands that need only the charges of a structure.
RunConfig charges_alone_config(const std::filesystem::path& structure, UnitSystem units);

}  // namespace dropmd

#pragma once

#include "core/run/run_settings.h"
#include "core/units.h"
#include "inputs/run_file/run_config.h"

/// Checks settings that are made in code and rejects what no run file could contain, with the ranges of its reader
/// (inputs/run_file/number_tables.h, core/forms/form.h). Messages name settings as a run file does.
namespace dropmd {

/// Checks the settings of a model: masses, temperature, pair terms, walls and fields. Throws std::invalid_argument for
/// a value out of its range, an unknown form, a key that a form needs but lacks, or has but does not use, and for terms
/// and species that exclude each other.
void require_possible_model(const RunConfig& config);

/// Checks the settings of a simulation in the same way. units: those of its system, which decide on defaults.
void require_possible_run(const RunSettings& settings, UnitSystem units);

}  // namespace dropmd

#pragma once

#include "core/run/run_settings.h"
#include "core/units.h"
#include "inputs/run_file/run_config.h"

/// Settings may be made in code. What a run file could not say is refused here, by the ranges that its reader has
/// (inputs/run_file/number_tables.h, core/form.h); messages name settings as a run file does.
namespace dropmd {

/// What a model is made of: masses, temperature, pair terms, walls and fields. Throws std::invalid_argument for a value
/// out of its range, a form that does not exist, a key that it needs and does not have, or has no use for, and for
/// terms and species that exclude each other.
void require_possible_model(const RunConfig& config);

/// How a simulation is made; units: of its system, in which defaults are. Throws std::invalid_argument likewise.
void require_possible_run(const RunSettings& settings, UnitSystem units);

}  // namespace dropmd

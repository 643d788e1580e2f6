#pragma once

#include "app/options.h"
#include "core/run/map_choices.h"
#include "core/units.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// Adds the options that describe how a map is summed, and its grid.
void add_grid_options(OptionTable& options);
/// Adds these, and the options of its unit and field.
void add_map_options(OptionTable& options);

/// Returns the choices of the run file's [map], or the defaults of the units.
MapChoices usual_map_choices(const RunConfig& config);

/// Returns `usual` with the values of the options. Throws UsageError for values that are impossible or do not go
/// together.
MapChoices map_choices(const GivenOptions& options, const Units& units, MapChoices usual);

}  // namespace dropmd

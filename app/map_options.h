#pragma once

#include "app/options.h"
#include "core/run/map_choices.h"
#include "core/units.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// The options that describe how a map is summed, and its grid.
void add_grid_options(OptionTable& options);
/// These, and what it is given in.
void add_map_options(OptionTable& options);

/// Those of the run file's [map], or the defaults of the units.
MapChoices usual_map_choices(const RunConfig& config);

/// What they say over `usual`. Throws UsageError for what cannot be or does not go together.
MapChoices map_choices(const GivenOptions& options, const Units& units, MapChoices usual);

}  // namespace dropmd

#pragma once

#include <vector>

#include "app/options.h"
#include "inputs/run_file/setting.h"

namespace dropmd {

/// --seed, --timestep and --set: keys of the run file that the command line gives.
void add_setting_options(OptionTable& options);

/// What these options say; --set counts last. Throws UsageError for a mistake of form.
std::vector<Setting> settings_of(const GivenOptions& options);

/// Throws UsageError for a setting that a run which goes on from a checkpoint has no use for.
void require_use_of_settings(const std::vector<Setting>& settings);

}  // namespace dropmd

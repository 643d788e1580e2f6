#pragma once

#include <vector>

#include "app/options.h"
#include "inputs/run_file/settings/setting.h"

namespace dropmd {

/// Adds --seed, --timestep and --set, which set keys of the run file.
void add_setting_options(OptionTable& options);

/// Returns the settings of these options; --set has precedence. Throws UsageError for a malformed setting.
std::vector<Setting> settings_of(const GivenOptions& options);

/// Throws UsageError for a setting that has no effect on a run that resumes from a checkpoint.
void require_use_of_settings(const std::vector<Setting>& settings);

}  // namespace dropmd

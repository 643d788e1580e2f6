#pragma once

#include <vector>

#include "app/option_values.h"

namespace dropmd {

/// Adds --devices.
void add_devices_option(OptionTable& options);

/// Whether --devices is "all".
bool wants_all_devices(const GivenOptions& options);

/// Returns the GPUs of --devices, which must have been given: at least one, and each once; number 0 if "all" finds
/// none. They may not be usable. Throws UsageError.
std::vector<int> devices_of(const GivenOptions& options);

}  // namespace dropmd

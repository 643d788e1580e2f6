#pragma once

#include <string>
#include <string_view>

#include "inputs/run_file/run_config.h"

namespace dropmd {

/// Returns the run as a run file with every default written out. Reading it gives the same RunConfig from any folder,
/// since the path of the structure is absolute. Numbers are the shortest decimals that give the same doubles again.
/// Values that depend on the structure are left out. terms: the invariance of the run's force terms, from which the
/// default of `recenter` follows (core/run/run_settings.h).
std::string resolved_run_toml(const RunConfig& config, const Invariance& terms);

/// Returns a TOML basic string. TOML is UTF-8: bytes that are not UTF-8, which file names may contain, become U+FFFD.
std::string toml_string(std::string_view text);

}  // namespace dropmd

#pragma once

#include <optional>
#include <string>

#include "inputs/run_file/run_config.h"

namespace dropmd {

/// Returns the centre that a run moves to the origin. Walls and fields are fixed in space.
Recenter recentring(const RunConfig& config);

/// Returns a warning for a run that recentres its atoms in spite of a wall or field; nullopt for any other.
std::optional<std::string> recentring_warning(const RunConfig& config);

}  // namespace dropmd

#pragma once

#include <optional>
#include <string>

#include "inputs/run_file/run_config.h"

namespace dropmd {

/// The centre that a run moves to the origin; walls and fields are fixed in space.
Recenter recentring(const RunConfig& config);

/// What is to be said of a run that was asked to move its atoms against its wall or field.
std::optional<std::string> recentring_warning(const RunConfig& config);

}  // namespace dropmd

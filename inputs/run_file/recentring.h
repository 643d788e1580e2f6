#pragma once

#include <optional>
#include <string>

#include "inputs/run_file/run_config.h"

namespace dropmd {

/// The centre that a run moves to the origin: the one that was asked for; else none beside a wall or a field, which
/// stay where they are while the atoms would be moved, and the geometric one in empty space.
Recenter recentring(const RunConfig& config);

/// What is to be said of a run that was asked to move its atoms against its wall or field.
std::optional<std::string> recentring_warning(const RunConfig& config);

}  // namespace dropmd

#pragma once

#include <string>

#include "core/run/droplet_rows.h"

namespace dropmd {

/// Returns the events for a log: "6 evaporated, 5 removed with 7 molecules"; "none".
std::string describe(const DropletEventCounts& counts);

}  // namespace dropmd

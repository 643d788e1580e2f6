#pragma once

#include <cstdint>
#include <string>

#include "core/timings.h"

namespace dropmd {

/// Returns a table of wall time by phase: seconds, fraction of the total and microseconds per step. The last rows are
/// `other`, the time of no phase, and `total`.
std::string timing_table(const Timings& timings, std::int64_t steps);

}  // namespace dropmd

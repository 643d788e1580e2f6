#pragma once

#include <cstdint>
#include <string>

#include "core/timings.h"

namespace dropmd {

/// A table of wall time by phase: seconds, share of the total and microseconds per step. The rows end with `other`,
/// what no phase claims, and `total`.
std::string timing_table(const Timings& timings, std::int64_t steps);

}  // namespace dropmd

#pragma once

#include <fmt/core.h>

#include <string>

#include "core/units.h"
#include "core/version.h"

namespace dropmd {

/// Returns the first line of energy.csv and ledger.csv: version and units.
inline std::string csv_header(const Units& units) {
  return fmt::format("# dropmd {}, units: {} (length {}, energy {}, time {}, temperature {})\n", kVersion, units.name,
                     units.length, units.energy, units.time, units.temperature);
}

}  // namespace dropmd

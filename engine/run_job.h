#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "engine/force_field.h"
#include "engine/simulation.h"
#include "inputs/run_config.h"

namespace dropmd {

/// How a run meets its surroundings.
struct RunHooks {
  std::ostream* progress = nullptr;  ///< none: no progress display
  bool terminal = false;             ///< `progress` is a terminal
  std::size_t columns = 80;
  bool overwrite = false;  ///< outputs that exist are replaced
  std::function<bool()> stop = [] { return false; };
  std::function<void(const Method&, const System&)> started = [](const Method&, const System&) {};
};

struct RunSummary {
  RunEnd end = RunEnd::finished;
  std::int64_t steps = 0;
  EnergyRow last;
  double largest_force = 0;
  double seconds = 0;
  std::string timings;                         ///< table by room
  std::vector<std::filesystem::path> written;  ///< output files
};

/// A whole run: reads the structure, opens the outputs, integrates, writes the final structure. On an interruption the
/// final structure is that of the last complete step.
RunSummary run_job(const RunConfig& config, const RunHooks& hooks);

}  // namespace dropmd

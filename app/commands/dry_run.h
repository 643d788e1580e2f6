#pragma once

#include "app/command.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// Prints the run with all defaults and its estimated needs: a run file with comments or, with --json, one object.
ExitStatus dry_run(const RunConfig& config, const GivenOptions& options, Streams& streams);

}  // namespace dropmd

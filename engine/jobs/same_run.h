#pragma once

#include <cstdint>

#include "device/communicator/run_ranks.h"
#include "engine/model/system.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// Throws InputError, in all ranks, if they are about to perform different runs: by another program, with other files,
/// or from another step.
void require_same_run(RunRanks& ranks, const RunConfig& config, const System& system, std::int64_t step);

}  // namespace dropmd

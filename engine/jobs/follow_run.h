#pragma once

#include "core/run/checkpoint.h"
#include "engine/jobs/run_job.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// Performs, in a run of several processes (RunConfig::ranks), the part of one other than the first: the steps that the
/// first process decides on, without outputs. hooks: `actions`, `tuner` and `self_check_every` must be those of the
/// first process; the other hooks are not used. config, from: as of run_job(), the same in all processes. Returns the
/// energies of the last step. Throws as run_job(), and RanksLeft if the first one cannot go on.
EnergyRow follow_run(const RunConfig& config, const RunHooks& hooks, const Checkpoint* from = nullptr);

}  // namespace dropmd

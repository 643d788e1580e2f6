#pragma once

#include <functional>

#include "app/command.h"
#include "app/ranks/job_ranks.h"
#include "inputs/run_file/run_config.h"

/// A run that the ranks of an MPI job perform together.
namespace dropmd {

/// Gives the run of a rank its GPU: one for each rank. Throws, to all ranks, UsageError for a run on the CPU and for
/// options that name GPUs, and DeviceError if a rank has no GPU of its own.
void set_rank_device(const GivenOptions& options, JobRanks& job, RunConfig& config);

/// Performs this rank's part of a run, ends it together with the others and returns its exit status. A failure of all
/// ranks is shown by the first one. A failure of this rank alone is shown here, and then ends the others, too.
ExitStatus end_together(JobRanks& job, Streams& streams, const std::function<ExitStatus()>& part);

}  // namespace dropmd

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/ranks/job_ranks.h"
#include "engine/ensemble/replica_run.h"
#include "inputs/run_file/run_config.h"

/// The part of its host that a process uses for the runs of an ensemble: GPUs, or threads of the CPU.
namespace dropmd {

/// What a process uses of its host.
struct HostShare {
  std::vector<int> devices{};  ///< GPUs; none: the CPU
  int processor_sharers = 1;   ///< processes that share the CPU, itself included
};

/// Returns what this process uses: its share as a rank of a job, according to what all ranks saw of their hosts when
/// the job began; without a job (null), the GPUs of --devices, or the one of --device and the run file. Where the
/// choice of the CPU was automatic, the user is told. Throws DeviceError for a GPU that cannot be used, and for a rank
/// without a GPU on a host with GPUs, unless --backend cpu was given.
HostShare host_share(const GivenOptions& options, const RunConfig& config, const JobRanks* job, Streams& streams);

/// Returns the places at which this process makes runs, with --at-once and --threads. config: the run file of a run,
/// whose checkpoint would have the threads of its place; system: that of this run; n_runs: those of all ranks.
std::vector<ReplicaPlace> places_on_host(const GivenOptions& options, const RunConfig& config, const System& system,
                                         std::size_t n_runs, const JobRanks* job, Streams& streams);

/// Whether runs are made on GPUs there.
bool is_on_gpus(std::span<const ReplicaPlace> places);

/// Returns what the places consist of: "2 GPUs", "the CPU, 1 thread each".
std::string describe(std::span<const ReplicaPlace> places);

}  // namespace dropmd

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engine/ensemble/replica_run.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// Returns the places at which this process makes the runs of an ensemble.
///
/// devices: GPUs; without any, the runs are made on the CPU, as many at once as there are threads, which they share.
/// Each GPU has as many runs at once as have 100,000 atoms together, at least one and at most 32, the number of queues
/// between a program and a GPU, and fewer where its free memory does not hold them. Runs whose steps a kernel can
/// perform that stays on its multiprocessors have shares of equal size: if possible such ones on which it can stay, for
/// which the number is halved as long as four are left, with molecules two; else, from four runs
/// on, such small ones that general steps, which run side by side, take its place. Runs that have shares already keep
/// them. at_once: replaces these numbers. With more runs than threads (config.threads, else the processors), those that
/// wait for a GPU sleep from now on.
///
/// config, system: of one of the runs; n_runs: how many there are, at least 1. Throws DeviceError for a GPU that cannot
/// be used.
std::vector<ReplicaPlace> replica_places(const RunConfig& config, const System& system, std::size_t n_runs,
                                         std::optional<std::size_t> at_once, std::span<const int> devices);

}  // namespace dropmd

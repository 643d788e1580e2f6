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
/// between a program and a GPU, and fewer if its free memory does not hold them. If a kernel that stays on its
/// multiprocessors can perform the steps, the runs have shares of equal size, large enough for it to stay on them if
/// possible: for this their number is halved as long as four are left, or two with molecules. Otherwise, from four runs
/// on, the shares are so small that general steps, which run side by side, take its place. Runs that already have
/// shares keep them. at_once: replaces these numbers. If there are more than half as many runs as threads
/// (config.threads, else the processors), threads that wait for a GPU sleep from now on.
///
/// config, system: of one of the runs; n_runs: how many there are, at least 1. Throws DeviceError for a GPU that cannot
/// be used.
std::vector<ReplicaPlace> replica_places(const RunConfig& config, const System& system, std::size_t n_runs,
                                         std::optional<std::size_t> at_once, std::span<const int> devices);

}  // namespace dropmd

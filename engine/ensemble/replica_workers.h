#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "engine/ensemble/replica_run.h"
#include "engine/ensemble/replica_source.h"

namespace dropmd {

/// How the runs of an ensemble are made in this process.
struct WorkerHooks {
  std::function<bool()> stop = [] { return false; };
  std::function<std::optional<double>()> seconds_left = [] { return std::optional<double>(); };
  /// Is called on the workers' threads when a run has reached a step.
  std::function<void(std::size_t index, std::int64_t step)> reached = [](std::size_t, std::int64_t) {};
  /// Is called on the caller's thread several times a second until all workers have ended.
  std::function<void()> meanwhile = [] {};
};

/// Makes the runs of a source, one at a time at each place, each place on a thread of its own, until the source has
/// none left or `stop` says so. A place at which two runs in a row lacked something takes no more. Rethrows the first
/// exception of the source or of `meanwhile`, after all have stopped.
void work_on(ReplicaSource& source, std::span<const ReplicaPlace> places, std::int64_t means_from,
             const WorkerHooks& hooks);

}  // namespace dropmd

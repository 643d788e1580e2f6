#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>

#include "core/run/ensemble_table.h"
#include "engine/model/system.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// Name of the run file in the folder of a run of an ensemble.
inline constexpr const char* kReplicaRunFile = "run.toml";

/// Returns the run file of a run or, if it cannot be read, what the run's checkpoint says of it. Throws as
/// read_run_file() and resume_run().
RunConfig replica_config(const std::filesystem::path& folder);

/// Returns the system with which the run of a folder begins or, if it has a checkpoint, goes on; a checkpoint needs no
/// other files. Throws as read_system(), resume_run() and continued_system().
System replica_system(const std::filesystem::path& folder);

/// Sets how a run was ended by an exception: state, status and message.
void set_end(ReplicaResult& result, const std::exception_ptr& failure);

/// Where a run of an ensemble is made. What its run file says about this is ignored.
struct ReplicaPlace {
  std::optional<int> device;  ///< GPU; nullopt: on the CPU
  int threads = 0;            ///< of the CPU; 0: as many as pay
  int multiprocessors = 0;    ///< of the GPU, for runs that are new (RunConfig::multiprocessors); 0: all
};

/// The connections of a run of an ensemble with its caller; called on the run's thread.
struct ReplicaHooks {
  std::function<bool()> stop = [] { return false; };
  std::function<void(std::int64_t step)> reached = [](std::int64_t) {};
  std::function<std::optional<double>()> seconds_left = [] { return std::optional<double>(); };  ///< nullopt: no limit
};

/// Makes the run of a folder with a run file, or continues it from its last checkpoint; everything else that it left is
/// overwritten. The lines that `dropmd run` would show go to log.txt. Never throws: whatever goes wrong is in the
/// result, whose means are over the rows from step `means_from` on.
ReplicaResult run_replica(const std::filesystem::path& folder, const ReplicaPlace& place, std::int64_t means_from,
                          const ReplicaHooks& hooks);

}  // namespace dropmd

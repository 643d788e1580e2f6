#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/command.h"
#include "app/commands/ensemble/host_share.h"
#include "app/json_text.h"
#include "engine/ensemble/ensemble.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// A run of an ensemble that is to be made or continued.
struct RunToMake {
  std::filesystem::path folder;
  RunConfig config;
  std::int64_t steps_done = 0;
};

/// An ensemble and what remains to be done of it.
struct EnsemblePlan {
  std::unique_ptr<Ensemble> ensemble;  ///< null after a dry run
  std::vector<RunToMake> runs{};       ///< those that are not over, except those that cannot be read and end alone
  std::filesystem::path example{};     ///< folder of the one by which places are chosen
  std::vector<ReplicaPlace> places{};  ///< where this process makes them
};

/// Creates the ensemble that a command line describes; with --dry-run, shows it and writes nothing. job: that of which
/// this is the first rank; null: none. Throws UsageError and InputError for mistakes in any of the runs, and
/// DeviceError, before anything is written.
EnsemblePlan new_plan(const GivenOptions& options, const JobRanks* job, Streams& streams);

/// Opens the ensemble of --resume. Throws UsageError for options that a resumption does not use.
EnsemblePlan resumed_plan(const GivenOptions& options, const JobRanks* job, Streams& streams);

/// Returns the varied values of a run by their keys.
Json values_json(const EnsembleTable& table, const Replica& replica);

}  // namespace dropmd

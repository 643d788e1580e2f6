#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/command.h"
#include "device/communicator/ranks.h"
#include "engine/ensemble/ensemble.h"
#include "engine/ensemble/rank_share.h"
#include "engine/ensemble/replica_run.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// The ranks of an MPI job, with what each sees of its host.
class JobRanks {
 public:
  /// All ranks construct it together.
  JobRanks();

  Ranks& ranks() { return ranks_; }
  int rank() const { return ranks_.rank(); }
  int size() const { return ranks_.size(); }
  /// Returns how many of the ensemble's runs a rank makes on average, rounded up.
  std::size_t runs_of_rank(std::size_t n_runs) const {
    const auto n = static_cast<std::size_t>(size());
    return (n_runs + n - 1) / n;
  }
  RankShare share() const { return rank_share(views_, static_cast<std::size_t>(ranks_.rank())); }

 private:
  Ranks ranks_;
  std::vector<RankView> views_{};
};

/// What a process uses of its host.
struct HostShare {
  std::vector<int> devices{};  ///< GPUs; none: the CPU
  int processor_sharers = 1;   ///< processes that share the CPU, itself included
};

/// An ensemble and what is to be done of it.
struct EnsemblePlan {
  std::unique_ptr<Ensemble> ensemble;    ///< null after a dry run
  std::vector<RunConfig> configs{};      ///< of the runs that are not over
  std::int64_t steps_done = 0;           ///< of these
  std::filesystem::path first_folder{};  ///< of the first of these
  std::vector<ReplicaPlace> places{};    ///< where this process makes them
};

/// Creates the ensemble that a command line describes; with --dry-run, shows it and writes nothing. job: of which this
/// is the first rank; null: none. Throws UsageError and InputError for mistakes in any of the runs, and DeviceError,
/// before anything is written.
EnsemblePlan new_plan(const GivenOptions& options, const JobRanks* job, Streams& streams);

/// Opens the ensemble of --resume. Throws UsageError for options that a resumption does not use.
EnsemblePlan resumed_plan(const GivenOptions& options, const JobRanks* job, Streams& streams);

/// Returns the share of this rank of an MPI job, by the views that all ranks told when the job began. Throws
/// DeviceError for a rank without a GPU on a host with GPUs, unless --backend cpu was given.
HostShare share_of_rank(const GivenOptions& options, const RunConfig& config, const JobRanks& job, Streams& streams);

/// Returns the places at which runs are made, with --at-once and --threads.
std::vector<ReplicaPlace> places_of(const GivenOptions& options, const RunConfig& config, std::size_t n_runs,
                                    const HostShare& share);

/// Returns "1 GPU", "2 CPU threads": what the places consist of.
std::string describe(std::span<const ReplicaPlace> places);

}  // namespace dropmd
